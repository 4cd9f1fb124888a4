import { linesOf } from '../../../domain/extraction/lines.js';
import type { PageContent, PdfContent } from '../../../domain/extraction/page-content.js';
import { whyUnusable } from '../../../domain/extraction/text-layer.js';
import { readMarks } from './marks.js';
import { defaultMemoryMb, readText, withDocument, withMemory, type Pdfium } from './module.js';
import { readOutline } from './outline.js';
import { pageFrame, type PageFrame } from './page-frame.js';
import { readRuns } from './text-runs.js';

/** `reason` continues the sentence "FILE cannot be read: it …". */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly reason: string;
}
export type PdfReading = { readonly kind: 'read'; readonly content: PdfContent } | Unreadable;

export interface ReadOptions {
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
        ? 'contains no text (with TURNWISE_SCANS=keep it is a paper for `turnwise enrich` to read)'
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
