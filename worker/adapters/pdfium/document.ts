import type {
  OutlineEntry,
  PageContent,
  PdfContent,
} from '../../../domain/extraction/page-content.js';
import { readLines } from './lines.js';
import { readMarks } from './marks.js';
import { loadPdfium, openDocument, readText, withMemory, type Pdfium } from './module.js';
import { pageFrame } from './page-frame.js';

/** `reason` continues the sentence "FILE cannot be read: it …". */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly reason: string;
}
export type PdfReading = { readonly kind: 'read'; readonly content: PdfContent } | Unreadable;

/** More than any real outline has. A damaged outline may be circular. */
const outlineLimit = 10_000;

/** Everything that the store needs from a PDF. A damaged file may take for ever: call this in a thread that can be ended. */
export async function readPdf(bytes: Uint8Array): Promise<PdfReading> {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  if (!head.includes('%PDF-')) return unreadable('is not a PDF');
  const pdfium = await loadPdfium();
  const document = openDocument(pdfium, bytes);
  if (document === 0) return unreadable(whyNotLoaded(pdfium, bytes));
  // PDFium repairs damaged files: of a truncated file it would return some of the pages without an error.
  if (pdfium._FPDF_DocumentHasValidCrossReferenceTable(document) === 0 && !endsWell(bytes)) {
    return unreadable('is truncated');
  }
  const pages = readPages(pdfium, document);
  if (pages.length === 0) return unreadable('has no pages');
  if (pages.every(({ lines }) => !lines.some(({ text }) => /[\p{L}\p{N}]/u.test(text)))) {
    return unreadable('contains no text (a scan has to go through text recognition first)');
  }
  const properties = {
    title: property(pdfium, document, 'Title'),
    author: property(pdfium, document, 'Author'),
    keywords: property(pdfium, document, 'Keywords'),
  };
  return {
    kind: 'read',
    content: { properties, outline: [...readOutline(pdfium, document)], pages },
  };
}

const unreadable = (reason: string): Unreadable => ({ kind: 'unreadable', reason });

const endsWell = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(-2048)).toString('latin1').includes('%%EOF');

function whyNotLoaded(pdfium: Pdfium, bytes: Uint8Array): string {
  // FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY of fpdfview.h.
  if ([4, 5].includes(pdfium._FPDF_GetLastError())) return 'is encrypted and needs a password';
  return endsWell(bytes) ? 'is damaged' : 'is truncated';
}

function readPages(pdfium: Pdfium, document: number): PageContent[] {
  const count = Math.max(0, pdfium._FPDF_GetPageCount(document));
  return Array.from({ length: count }, (_, index) => {
    const page = pdfium._FPDF_LoadPage(document, index);
    if (page === 0) return unreadablePage;
    const frame = pageFrame(pdfium, page);
    const { width, height } = frame;
    const lines = readLines(pdfium, page, frame);
    const read = { width, height, lines, ...readMarks(pdfium, page, frame), unusable: null };
    pdfium._FPDF_ClosePage(page);
    return read;
  });
}

const unreadablePage: PageContent = {
  width: 0,
  height: 0,
  lines: [],
  rules: [],
  drawings: [],
  pictures: [],
  unusable: 'it is damaged',
};

function property(pdfium: Pdfium, document: number, name: string): string {
  const tag = Buffer.from(`${name}\0`, 'latin1');
  return withMemory(pdfium, tag.length, (address) => {
    pdfium.HEAPU8.set(tag, address);
    return readText(pdfium, 'utf-16le', (buffer, bytes) =>
      pdfium._FPDF_GetMetaText(document, address, buffer, bytes),
    );
  });
}

function readOutline(pdfium: Pdfium, document: number): readonly OutlineEntry[] {
  const entries: OutlineEntry[] = [];
  const seen = new Set<number>();
  const visit = (parent: number, level: number): void => {
    let bookmark = pdfium._FPDFBookmark_GetFirstChild(document, parent);
    while (bookmark !== 0 && !seen.has(bookmark) && seen.size < outlineLimit) {
      seen.add(bookmark);
      const entry = readEntry(pdfium, document, bookmark, level);
      if (entry !== undefined) entries.push(entry);
      visit(bookmark, level + 1);
      bookmark = pdfium._FPDFBookmark_GetNextSibling(document, bookmark);
    }
  };
  visit(0, 1);
  return entries;
}

function readEntry(
  pdfium: Pdfium,
  document: number,
  bookmark: number,
  level: number,
): OutlineEntry | undefined {
  const title = readText(pdfium, 'utf-16le', (buffer, bytes) =>
    pdfium._FPDFBookmark_GetTitle(bookmark, buffer, bytes),
  );
  const target =
    pdfium._FPDFBookmark_GetDest(document, bookmark) ||
    pdfium._FPDFAction_GetDest(document, pdfium._FPDFBookmark_GetAction(bookmark));
  if (title === '' || target === 0) return undefined;
  const page = pdfium._FPDFDest_GetDestPageIndex(document, target) + 1;
  if (page < 1) return undefined;
  const loaded = pdfium._FPDF_LoadPage(document, page - 1);
  if (loaded === 0) return { title, level, page, y: null };
  const top = readTop(pdfium, target);
  const y = top === null ? null : pageFrame(pdfium, loaded).point(0, top)[1];
  pdfium._FPDF_ClosePage(loaded);
  return { title, level, page, y };
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
