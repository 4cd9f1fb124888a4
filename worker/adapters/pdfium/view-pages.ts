import { roundedBox } from '../../../domain/extraction/page-content.js';
import { linesOf } from '../../../domain/extraction/lines.js';
import type {
  PageView,
  ViewLine,
  ViewRequest,
} from '../../../domain/stores/inspection/place-lines.js';
import { draw, encodeSmallPng } from './draw-page.js';
import { withDocument, type Pdfium } from './module.js';
import { pageFrame } from './page-frame.js';
import { readRuns } from './text-runs.js';

/** 110 dots per inch: small print can be read, and a page takes about 60 kB. */
const pixelsPerPoint = 110 / 72;
/** A page of A2. Larger ones are drawn smaller. */
const mostPixels = 4_700_000;

/**
 * Draws pages and reads their lines, one after the other. A damaged file may take for ever: call this in a process that can be
 * ended.
 */
export const viewPages = (
  bytes: Uint8Array,
  request: Omit<ViewRequest, 'path'>,
  onLine: (line: ViewLine) => void,
): Promise<void> =>
  withDocument(bytes, (pdfium, document) => viewIn(pdfium, document, request, onLine));

function viewIn(
  pdfium: Pdfium,
  document: number,
  { pages, mostPicture }: Omit<ViewRequest, 'path'>,
  onLine: (line: ViewLine) => void,
): void {
  if (document === 0) {
    onLine({ kind: 'unreadable' });
    return;
  }
  let left = mostPicture;
  for (const page of pages) {
    onLine({ kind: 'begins', page });
    const handle = pdfium._FPDF_LoadPage(document, page - 1);
    if (handle === 0) {
      onLine({ kind: 'no-page', page });
      continue;
    }
    const view = viewOf(pdfium, handle, left > 0);
    pdfium._FPDF_ClosePage(handle);
    const size = view.picture?.length ?? 0;
    onLine({ kind: 'page', page, ...view, ...(size > left && { picture: null }) });
    left -= size;
  }
}

function viewOf(
  pdfium: Pdfium,
  handle: number,
  withPicture: boolean,
): Omit<PageView, 'kind' | 'page'> {
  const frame = pageFrame(pdfium, handle);
  const { width, height } = frame;
  const area = { x: 0, y: 0, width, height };
  const scale = Math.min(pixelsPerPoint, Math.sqrt(mostPixels / Math.max(1, width * height)));
  return {
    width,
    height,
    picture: withPicture
      ? encodeSmallPng(draw(pdfium, handle, area, area, scale)).toString('base64')
      : null,
    lines: linesOf(readRuns(pdfium, handle, frame).strips).map(({ text, box }) => ({
      text,
      box: roundedBox(box),
    })),
  };
}
