import type { OutlineEntry } from '../../../domain/extraction/page-content.js';
import { readText, withMemory, type Pdfium } from './module.js';
import type { PageFrame } from './page-frame.js';

/** More than any real outline has. A damaged outline may be circular. */
const mostEntries = 10_000;
/** The format has no limit, but each level takes stack. */
const deepestLevel = 100;

/** The entries that point to a page. @param frames - of the pages; undefined for those that cannot be read */
export function readOutline(
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
