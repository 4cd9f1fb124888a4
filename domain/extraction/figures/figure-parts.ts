import { bottomOf, holdsMiddle, sharedArea, unionOf } from '../boxes.js';
import { clusterBoxes } from './clusters.js';
import type { Box, PageContent, TextLine } from '../page-content.js';

/** Marks that touch, with the labels among them: a figure or a part of it. */
export interface FigurePart {
  readonly box: Box;
  readonly labels: readonly TextLine[];
  /** Boxes of its pictures and drawings. A table or a fraction has rules only. */
  readonly marks: readonly Box[];
  readonly hasPicture: boolean;
}

/** A mark that covers more of the page is its background, or a scan of the page. */
const mostOfPage = 0.85;
/** A drawing is the shade or frame of a paragraph if lines of text fill more of its height. */
const mostText = 0.35;

/**
 * Groups the marks of a page.
 * @param text - lines that are no labels
 * @param taken - places of tables
 */
export function figureParts(
  page: PageContent,
  text: readonly TextLine[],
  taken: readonly Box[],
): readonly FigurePart[] {
  const isFree = (box: Box): boolean =>
    box[2] * box[3] < mostOfPage * page.width * page.height &&
    !taken.some((table) => holdsMiddle(table, box));
  const isOpen = (box: Box): boolean => isFree(box) && !isShade(box, text);
  const drawings = page.drawings.filter(isOpen);
  const pictures = page.pictures.filter(isOpen);
  const rules = page.rules.filter(isFree);
  const marks = [...pictures, ...drawings, ...rules];
  if (marks.length === 0) return [];
  const apart = new Set(text);
  const labels = page.lines
    .filter(({ box }) => isFree(box) && holdsMiddle([0, 0, page.width, page.height], box))
    .filter((line) => !apart.has(line));
  const boxes = [...marks, ...labels.map(({ box }) => box)];
  return clusterBoxes(boxes, page.width, page.height).flatMap((indexes): FigurePart[] => {
    const own = indexes.filter((index) => index < marks.length);
    if (own.length === 0) return [];
    const drawn = own.filter((index) => index < pictures.length + drawings.length);
    return [
      {
        box: unionOf(indexes.flatMap((index) => boxes.slice(index, index + 1))),
        labels: indexes.flatMap((index) =>
          index < marks.length ? [] : labels.slice(index - marks.length, index - marks.length + 1),
        ),
        marks: drawn.flatMap((index) => marks.slice(index, index + 1)),
        hasPicture: own.some((index) => index < pictures.length),
      },
    ];
  });
}

function isShade(box: Box, text: readonly TextLine[]): boolean {
  // Most drawings are too small to hold a line, and there may be 50,000.
  if (box[2] < 20 || box[3] < 5) return false;
  let height = 0;
  for (const line of text) {
    // Most marks lie elsewhere.
    if (line.box[1] > bottomOf(box) || bottomOf(line.box) < box[1]) continue;
    if (holdsMiddle(box, line.box) || sharedArea(box, line.box) > 0.5 * box[2] * box[3]) {
      height += Math.min(box[3], line.box[3]);
    }
  }
  return height > mostText * box[3];
}
