import { linesOf } from '../../../domain/extraction/lines.js';
import {
  whyUnusable,
  type PageContent,
  type PdfContent,
  type OutlineEntry,
  type Box,
} from '../../../domain/extraction/page-content.js';
import { defaultMemoryMb, readText, withDocument, withMemory, type Pdfium } from './module.js';
import { pageFrame, type PageFrame } from './page-frame.js';
import { readRuns } from './text-runs.js';

/** `reason` continues the sentence "FILE cannot be read: it …". */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly reason: string;
}
export type PdfReading = { readonly kind: 'read'; readonly content: PdfContent } | Unreadable;

interface ReadOptions {
  /** Pages, from 1, that are left out, and why. */
  readonly givenUp?: ReadonlyMap<number, string>;
  /** Called before each page is read, with its number from 1, and with null after the last one. */
  readonly onPage?: (page: number | null) => void;
  /** The most memory that PDFium may take beside the file. @defaultValue 512 MB */
  readonly memoryMb?: number;
  /** Whether a PDF without any text that can be used is read like others. @defaultValue false */
  readonly keepsScans?: boolean;
}

/**
 * Everything that the store needs from a PDF. A damaged file may take for ever: call this in a thread that can be ended.
 * Throws PdfiumMemoryFull.
 */
export async function readPdf(
  bytes: Uint8Array,
  { memoryMb = defaultMemoryMb, ...options }: ReadOptions = {},
): Promise<PdfReading> {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  if (!head.includes('%PDF-')) return unreadable('is not a PDF');
  return withDocument(
    bytes,
    (pdfium, document) => readDocument(pdfium, document, bytes, options),
    memoryMb + bytes.length / 2 ** 20,
  );
}

function readDocument(
  pdfium: Pdfium,
  document: number,
  bytes: Uint8Array,
  {
    givenUp = new Map(),
    onPage = () => undefined,
    keepsScans = false,
  }: Omit<ReadOptions, 'memoryMb'>,
): PdfReading {
  if (document === 0) return unreadable(whyNotLoaded(pdfium, bytes));
  // PDFium repairs damaged files: of a truncated file it would return some of the pages without an error.
  if (pdfium._FPDF_DocumentHasValidCrossReferenceTable(document) === 0 && !endsWell(bytes)) {
    return unreadable('is truncated');
  }
  const read = readPages(pdfium, document, { givenUp, onPage });
  onPage(null);
  const pages = read.map(({ page }) => page);
  if (pages.length === 0) return unreadable('has no pages');
  const hasText = pages.some(({ lines }) => lines.some(({ text }) => /[\p{L}\p{N}]/u.test(text)));
  if (!hasText && !keepsScans) {
    const why = pages.find(({ unusable }) => unusable !== null)?.unusable;
    return unreadable(
      why === undefined
        ? 'contains no text (with --scans keep it is a paper for `turnwise store enrich` to read)'
        : `contains no text that can be used: ${why}`,
    );
  }
  const properties = {
    title: property(pdfium, document, 'Title'),
    author: property(pdfium, document, 'Author'),
    keywords: property(pdfium, document, 'Keywords'),
  };
  const outline = readOutline(
    pdfium,
    document,
    read.map(({ frame }) => frame),
  );
  return { kind: 'read', content: { properties, outline, pages } };
}

const unreadable = (reason: string): Unreadable => ({ kind: 'unreadable', reason });

const endsWell = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(-2048)).toString('latin1').includes('%%EOF');

function whyNotLoaded(pdfium: Pdfium, bytes: Uint8Array): string {
  // FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY of fpdfview.h.
  if ([4, 5].includes(pdfium._FPDF_GetLastError())) return 'is encrypted and needs a password';
  return endsWell(bytes) ? 'is damaged' : 'is truncated';
}

interface ReadPage {
  readonly page: PageContent;
  readonly frame: PageFrame | undefined;
}

function readPages(
  pdfium: Pdfium,
  document: number,
  { givenUp, onPage }: Required<Pick<ReadOptions, 'givenUp' | 'onPage'>>,
): readonly ReadPage[] {
  const count = Math.max(0, pdfium._FPDF_GetPageCount(document));
  return Array.from({ length: count }, (_, index) => {
    const reason = givenUp.get(index + 1);
    if (reason !== undefined) return without(reason, sizeOf(pdfium, document, index));
    onPage(index + 1);
    const handle = pdfium._FPDF_LoadPage(document, index);
    if (handle === 0) return without('it is damaged', sizeOf(pdfium, document, index));
    const frame = pageFrame(pdfium, handle);
    const { width, height } = frame;
    const text = readRuns(pdfium, handle, frame);
    const lines = linesOf(text.strips);
    const unusable = whyUnusable(lines, text);
    const page = { width, height, lines, ...readMarks(pdfium, handle, frame), unusable };
    pdfium._FPDF_ClosePage(handle);
    return { page, frame };
  });
}

const without = (unusable: string, size: Pick<PageContent, 'width' | 'height'>): ReadPage => ({
  page: { ...size, lines: [], rules: [], drawings: [], pictures: [], unusable },
  frame: undefined,
});

/** The size of a page whose contents are not read; 0 where PDFium cannot tell it. */
const sizeOf = (
  pdfium: Pdfium,
  document: number,
  index: number,
): Pick<PageContent, 'width' | 'height'> =>
  withMemory(pdfium, 2 * bytesOfDouble, (address) => {
    const known = pdfium._FPDF_GetPageSizeByIndex(
      document,
      index,
      address,
      address + bytesOfDouble,
    );
    const [width = 0, height = 0] = pdfium.HEAPF64.subarray(address / bytesOfDouble);
    return known === 0 ? { width: 0, height: 0 } : { width, height };
  });
const bytesOfDouble = 8;

function property(pdfium: Pdfium, document: number, name: string): string {
  const tag = Buffer.from(`${name}\0`, 'latin1');
  return withMemory(pdfium, tag.length, (address) => {
    pdfium.HEAPU8.set(tag, address);
    return readText(pdfium, 'utf-16le', (buffer, bytes) =>
      pdfium._FPDF_GetMetaText(document, address, buffer, bytes),
    );
  });
}

/** More than any real outline has. A damaged outline may be circular. */
const mostEntries = 10_000;
/** The format has no limit, but each level takes stack. */
const deepestLevel = 100;

/** The entries that point to a page. @param frames - of the pages; undefined for those that cannot be read */
function readOutline(
  pdfium: Pdfium,
  document: number,
  frames: readonly (PageFrame | undefined)[],
): readonly OutlineEntry[] {
  const entries: OutlineEntry[] = [];
  const seen = new Set<number>();
  const visit = (parent: number, level: number): void => {
    let bookmark = pdfium._FPDFBookmark_GetFirstChild(document, parent);
    while (bookmark !== 0 && !seen.has(bookmark) && seen.size < mostEntries) {
      seen.add(bookmark);
      const entry = readEntry(bookmark, level);
      if (entry !== undefined) entries.push(entry);
      if (level < deepestLevel) visit(bookmark, level + 1);
      bookmark = pdfium._FPDFBookmark_GetNextSibling(document, bookmark);
    }
  };
  visit(0, 1);
  return entries;

  function readEntry(bookmark: number, level: number): OutlineEntry | undefined {
    const title = readText(pdfium, 'utf-16le', (buffer, bytes) =>
      pdfium._FPDFBookmark_GetTitle(bookmark, buffer, bytes),
    );
    const target =
      pdfium._FPDFBookmark_GetDest(document, bookmark) ||
      pdfium._FPDFAction_GetDest(document, pdfium._FPDFBookmark_GetAction(bookmark));
    if (title === '' || target === 0) return undefined;
    const page = pdfium._FPDFDest_GetDestPageIndex(document, target) + 1;
    if (page < 1) return undefined;
    const frame = frames[page - 1];
    const top = frame === undefined ? null : readTop(pdfium, target);
    return { title, level, page, y: top === null ? null : (frame?.y(0, top) ?? null) };
  }
}

function readTop(pdfium: Pdfium, target: number): number | null {
  return withMemory(pdfium, 24, (scratch) => {
    const [hasX, hasY, hasZoom] = [scratch, scratch + 4, scratch + 8];
    const [x, y, zoom] = [scratch + 12, scratch + 16, scratch + 20];
    pdfium.HEAP32.fill(0, scratch / 4, scratch / 4 + 6);
    pdfium._FPDFDest_GetLocationInPage(target, hasX, hasY, hasZoom, x, y, zoom);
    return pdfium.HEAP32[hasY / 4] === 0 ? null : (pdfium.HEAPF32[y / 4] ?? null);
  });
}

/** FPDF_PAGEOBJ_* of fpdf_edit.h. */
const [pathObject, imageObject, formObject] = [2, 3, 5];
/** A path that is thinner than this is a rule. */
const ruleThickness = 2.5;
/** A rule is longer than it is thick. Shorter marks are ticks and dashes. */
const shortestRule = 5;
/** Forms may contain each other. */
const deepestForm = 8;
/** A vector drawing may have a million paths. */
const mostMarks = 50_000;

/** What a page holds beside text: rules, drawings and pictures. */
function readMarks(
  pdfium: Pdfium,
  page: number,
  frame: PageFrame,
): Pick<PageContent, 'rules' | 'drawings' | 'pictures'> {
  const [rules, drawings, pictures]: [Box[], Box[], Box[]] = [[], [], []];
  let seen = 0;
  withMemory(pdfium, 48, (scratch) => {
    visit(
      pdfium._FPDFPage_CountObjects(page),
      (index) => pdfium._FPDFPage_GetObject(page, index),
      identity,
      0,
    );

    function visit(
      count: number,
      objectAt: (index: number) => number,
      place: Matrix,
      depth: number,
    ): void {
      for (let index = 0; index < count && seen < mostMarks; index += 1) {
        const object = objectAt(index);
        if (object === 0) continue;
        seen += 1;
        const type = pdfium._FPDFPageObj_GetType(object);
        if (type === formObject && depth < deepestForm) {
          pdfium._FPDFPageObj_GetMatrix(object, scratch + 16);
          const matrix = [...pdfium.HEAPF32.subarray((scratch + 16) / 4, (scratch + 40) / 4)];
          visit(
            pdfium._FPDFFormObj_CountObjects(object),
            (at) => pdfium._FPDFFormObj_GetObject(object, at),
            multiply(matrix, place),
            depth + 1,
          );
        } else if (type === pathObject || type === imageObject) {
          if (type === pathObject && !isDrawn(object)) continue;
          const box = boundsOf(object, place);
          if (box === null) continue;
          if (type === imageObject) pictures.push(box);
          else if (isRule(box)) rules.push(box);
          else drawings.push(box);
        }
      }
    }

    /** Whether a path is filled or stroked. Others only clip. */
    function isDrawn(object: number): boolean {
      pdfium._FPDFPath_GetDrawMode(object, scratch, scratch + 4);
      return pdfium.HEAP32[scratch / 4] !== 0 || pdfium.HEAP32[scratch / 4 + 1] !== 0;
    }

    /** The part of the object that is on the page and not clipped; null if none is. */
    function boundsOf(object: number, place: Matrix): Box | null {
      const corners = [scratch, scratch + 4, scratch + 8, scratch + 12] as const;
      if (pdfium._FPDFPageObj_GetBounds(object, ...corners) === 0) return null;
      const [memory, at] = [pdfium.HEAPF32, scratch / 4];
      const [left = 0, bottom = 0] = [memory[at], memory[at + 1]];
      const [right = 0, top = 0] = [memory[at + 2], memory[at + 3]];
      const bounds = clipped({ left, bottom, right, top }, object);
      if (bounds.right < bounds.left || bounds.top < bounds.bottom) return null;
      const [x, y, width, height] = frame.box(
        ...apply(place, bounds.left, bounds.bottom),
        ...apply(place, bounds.right, bounds.top),
      );
      const [x1, y1] = [Math.max(0, x), Math.max(0, y)];
      const [x2, y2] = [Math.min(frame.width, x + width), Math.min(frame.height, y + height)];
      return x2 < x1 || y2 < y1 ? null : [x1, y1, x2 - x1, y2 - y1];
    }

    /** What the boxes around the object's clip paths leave of its bounds. */
    function clipped(bounds: Bounds, object: number): Bounds {
      const clip = pdfium._FPDFPageObj_GetClipPath(object);
      const paths = clip === 0 ? 0 : pdfium._FPDFClipPath_CountPaths(clip);
      let { left, bottom, right, top } = bounds;
      for (let path = 0; path < paths; path += 1) {
        const box = clipBox(clip, path);
        left = Math.max(left, box.left);
        bottom = Math.max(bottom, box.bottom);
        right = Math.min(right, box.right);
        top = Math.min(top, box.top);
      }
      return { left, bottom, right, top };
    }

    function clipBox(clip: number, path: number): Bounds {
      const count = pdfium._FPDFClipPath_CountPathSegments(clip, path);
      if (count <= 0) return everywhere;
      let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
      for (let index = 0; index < count; index += 1) {
        const segment = pdfium._FPDFClipPath_GetPathSegment(clip, path, index);
        pdfium._FPDFPathSegment_GetPoint(segment, scratch, scratch + 4);
        const [x = 0, y = 0] = [pdfium.HEAPF32[scratch / 4], pdfium.HEAPF32[scratch / 4 + 1]];
        left = Math.min(left, x);
        bottom = Math.min(bottom, y);
        right = Math.max(right, x);
        top = Math.max(top, y);
      }
      return { left, bottom, right, top };
    }
  });
  return { rules, drawings, pictures };
}

interface Bounds {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}
const everywhere: Bounds = { left: -Infinity, bottom: -Infinity, right: Infinity, top: Infinity };

/** The numbers a to f of a PDF matrix. */
type Matrix = readonly number[];
const identity: Matrix = [1, 0, 0, 1, 0, 0];

const apply = (
  [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: Matrix,
  x: number,
  y: number,
): [number, number] => [a * x + c * y + e, b * x + d * y + f];

/** First `inner`, then `outer`. */
function multiply(inner: Matrix, outer: Matrix): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = inner;
  const [origin, ...columns] = [
    apply(outer, e, f),
    apply(outer, e + a, f + b),
    apply(outer, e + c, f + d),
  ];
  const [x, y] = columns.map(([u, v]) => [u - origin[0], v - origin[1]]);
  return [...(x ?? [1, 0]), ...(y ?? [0, 1]), ...origin];
}

const isRule = ([, , width, height]: Box): boolean =>
  Math.min(width, height) <= ruleThickness && Math.max(width, height) >= shortestRule;
