import { withDocument, type Pdfium } from './module.js';
import { encodePng, type Raster } from './png.js';

export interface PageArea {
  /** From 1. */
  readonly page: number;
  /** `[x, y, width, height]` in points from the top left; empty for the whole page. */
  readonly box: readonly number[];
}

/** `reason` is for the model. */
export type PageDrawing =
  | { readonly kind: 'drawn'; readonly png: Uint8Array }
  | { readonly kind: 'no-page' }
  | { readonly kind: 'undrawable'; readonly reason: string };

/** 200 dots per inch, as in the reference system. */
const pixelsPerPoint = 200 / 72;
/** Four times a page of letter paper. */
const mostPixels = 15_000_000;
/** Providers accept 20 MB as base64, and a request may hold several pictures. */
const mostBytes = 4_000_000;

/** Draws a page or a part of it. A damaged file may take for ever: call this in a thread that can be ended. */
export const drawPage = (bytes: Uint8Array, area: PageArea): Promise<PageDrawing> =>
  withDocument(bytes, (pdfium, document) => drawIn(pdfium, document, area));

function drawIn(pdfium: Pdfium, document: number, { page, box }: PageArea): PageDrawing {
  if (document === 0) return { kind: 'undrawable', reason: 'the PDF cannot be read' };
  const loaded = pdfium._FPDF_LoadPage(document, page - 1);
  if (loaded === 0) return { kind: 'no-page' };
  const paper = {
    width: pdfium._FPDF_GetPageWidth(loaded),
    height: pdfium._FPDF_GetPageHeight(loaded),
  };
  const area = areaOf(paper, box);
  if (area.width <= 0 || area.height <= 0) {
    const reason = `the bounding box lies outside of page ${page}, which is ${Math.round(paper.width)} points wide and ${Math.round(paper.height)} high`;
    return { kind: 'undrawable', reason };
  }
  let scale = Math.min(pixelsPerPoint, Math.sqrt(mostPixels / (area.width * area.height)));
  for (;;) {
    const png = encodePng(draw(pdfium, loaded, paper, area, scale));
    if (png.length <= mostBytes) return { kind: 'drawn', png };
    scale /= 2;
  }
}

export interface Size {
  readonly width: number;
  readonly height: number;
}
export interface Area extends Size {
  readonly x: number;
  readonly y: number;
}

/** The part of the box that is on the page. */
function areaOf({ width, height }: Size, box: readonly number[]): Area {
  const [left = 0, top = 0, boxWidth = width, boxHeight = height] = box;
  const [x, y] = [Math.max(0, left), Math.max(0, top)];
  return {
    x,
    y,
    width: Math.min(width, left + boxWidth) - x,
    height: Math.min(height, top + boxHeight) - y,
  };
}

/** FPDFBitmap_BGRx and FPDF_ANNOT of fpdfview.h. */
const [bgrx, withAnnotations] = [3, 1];
const white = 0xffffffff;

/** Draws a part of a loaded page. @param scale - pixels a point */
export function draw(pdfium: Pdfium, page: number, paper: Size, area: Area, scale: number): Raster {
  const dots = (points: number): number => Math.round(points * scale);
  const width = Math.max(1, dots(area.width));
  const height = Math.max(1, dots(area.height));
  const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, bgrx, 0, 0);
  if (bitmap === 0) throw new RangeError('PDFium has no memory for the picture.');
  try {
    pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, white);
    const place = [-dots(area.x), -dots(area.y), dots(paper.width), dots(paper.height)];
    pdfium._FPDF_RenderPageBitmap(bitmap, page, ...place, 0, withAnnotations);
    const stride = pdfium._FPDFBitmap_GetStride(bitmap);
    const start = pdfium._FPDFBitmap_GetBuffer(bitmap);
    const bgr = pdfium.HEAPU8.subarray(start, start + stride * height);
    return { width, height, rgb: rgbOf(bgr, width, height, stride) };
  } finally {
    pdfium._FPDFBitmap_Destroy(bitmap);
  }
}

/** From four bytes per pixel, blue first. */
function rgbOf(bgr: Uint8Array, width: number, height: number, stride: number): Uint8Array {
  const rgb = new Uint8Array(width * height * 3);
  let at = 0;
  for (let row = 0; row < height; row += 1) {
    for (let from = row * stride; from < row * stride + width * 4; from += 4) {
      rgb[at++] = bgr[from + 2] ?? 0;
      rgb[at++] = bgr[from + 1] ?? 0;
      rgb[at++] = bgr[from] ?? 0;
    }
  }
  return rgb;
}
