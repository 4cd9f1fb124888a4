import type { Box } from '../../../domain/extraction/page-content.js';
import { withMemory, type Pdfium } from './module.js';

/** Turns PDFium's coordinates of a page, from the lower left before rotation, into those of a `Box`. */
export interface PageFrame {
  readonly width: number;
  readonly height: number;
  /** Any two opposite corners. */
  readonly box: (x1: number, y1: number, x2: number, y2: number) => Box;
  readonly point: (x: number, y: number) => readonly [number, number];
  /** Whether a direction runs from left to right, or back, on the page as shown. */
  readonly isLevel: (dx: number, dy: number) => boolean;
}

export function pageFrame(pdfium: Pdfium, page: number): PageFrame {
  // FS_RECTF of fpdfview.h: left, top, right, bottom.
  const [left = 0, top = 0, right = 0, bottom = 0] = withMemory(pdfium, 16, (rect) => {
    pdfium.HEAPF32.fill(0, rect / 4, rect / 4 + 4);
    pdfium._FPDF_GetPageBoundingBox(page, rect);
    return pdfium.HEAPF32.slice(rect / 4, rect / 4 + 4);
  });
  const quarterTurns = pdfium._FPDFPage_GetRotation(page);
  const point = (x: number, y: number): readonly [number, number] => {
    switch (quarterTurns) {
      case 1:
        return [y - bottom, x - left];
      case 2:
        return [right - x, y - bottom];
      case 3:
        return [top - y, right - x];
      default:
        return [x - left, top - y];
    }
  };
  return {
    width: pdfium._FPDF_GetPageWidth(page),
    height: pdfium._FPDF_GetPageHeight(page),
    point,
    box: (x1, y1, x2, y2) => {
      const [ax, ay] = point(x1, y1);
      const [bx, by] = point(x2, y2);
      return [Math.min(ax, bx), Math.min(ay, by), Math.abs(ax - bx), Math.abs(ay - by)];
    },
    isLevel: (dx, dy) => {
      const rise = quarterTurns % 2 === 0 ? dy : dx;
      return Math.abs(rise) < 0.1 * Math.hypot(dx, dy);
    },
  };
}
