import type { Box, PageContent } from '../../../domain/extraction/page-content.js';
import { withMemory, type Pdfium } from './module.js';
import type { PageFrame } from './page-frame.js';

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
export function readMarks(
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
