import type { Box } from '../../../domain/extraction/page-content.js';
import { withMemory, type Pdfium } from './module.js';

/** Turns PDFium's coordinates of a page, from the lower left before rotation, into those of a `Box`. */
export interface PageFrame {
  readonly width: number;
  readonly height: number;
  /** Any two opposite corners. */
  readonly box: (x1: number, y1: number, x2: number, y2: number) => Box;
  readonly x: (x: number, y: number) => number;
  readonly y: (x: number, y: number) => number;
  /** How a direction runs on the page as shown: its parts to the right and down. */
  readonly direction: (dx: number, dy: number) => readonly [number, number];
}

export function pageFrame(pdfium: Pdfium, page: number): PageFrame {
  const [xx, xy, x0, yx, yy, y0] = toShown(pdfium, page);
  const toX = (x: number, y: number): number => xx * x + xy * y + x0;
  const toY = (x: number, y: number): number => yx * x + yy * y + y0;
  return {
    width: pdfium._FPDF_GetPageWidth(page),
    height: pdfium._FPDF_GetPageHeight(page),
    x: toX,
    y: toY,
    box: (x1, y1, x2, y2) => {
      const [ax, ay, bx, by] = [toX(x1, y1), toY(x1, y1), toX(x2, y2), toY(x2, y2)];
      return [Math.min(ax, bx), Math.min(ay, by), Math.abs(ax - bx), Math.abs(ay - by)];
    },
    direction: (dx, dy) => [xx * dx + xy * dy, yx * dx + yy * dy],
  };
}

type Transform = readonly [number, number, number, number, number, number];

/** By the page's rotation. x is the first number times x, the second times y, and the third; y is made of the other three. */
function toShown(pdfium: Pdfium, page: number): Transform {
  // FS_RECTF of fpdfview.h: left, top, right, bottom.
  const [left = 0, top = 0, right = 0, bottom = 0] = withMemory(pdfium, 16, (rect) => {
    pdfium.HEAPF32.fill(0, rect / 4, rect / 4 + 4);
    pdfium._FPDF_GetPageBoundingBox(page, rect);
    return pdfium.HEAPF32.slice(rect / 4, rect / 4 + 4);
  });
  switch (pdfium._FPDFPage_GetRotation(page)) {
    case 1:
      return [0, 1, -bottom, 1, 0, -left];
    case 2:
      return [-1, 0, right, 0, 1, -bottom];
    case 3:
      return [0, -1, top, -1, 0, right];
    default:
      return [1, 0, -left, 0, -1, top];
  }
}
