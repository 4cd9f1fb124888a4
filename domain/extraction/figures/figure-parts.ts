import { groupBy } from '../../groups.js';
import { bottomOf, holdsMiddle, sharedArea, unionOf, rightOf } from '../boxes.js';
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

/** The side of a grid cell, in points. */
const cellSize = 4;

/**
 * Groups boxes that overlap or are at most about 8 points apart. The effort grows with the number of boxes and the area of the
 * page, because a drawing may have 50,000 paths.
 * @returns the indexes of each group's boxes
 */
function clusterBoxes(boxes: readonly Box[], width: number, height: number): number[][] {
  if (boxes.length < 2) return boxes.map((_, index) => [index]);
  const columns = Math.max(1, Math.ceil(width / cellSize));
  const rows = Math.max(1, Math.ceil(height / cellSize));
  const column = (x: number): number => clamp(Math.floor(x / cellSize), columns);
  const row = (y: number): number => clamp(Math.floor(y / cellSize), rows);
  const inked = fillGrid(
    boxes.map((box) => [column(box[0]), row(box[1]), column(rightOf(box)), row(bottomOf(box))]),
    columns,
    rows,
  );
  const labels = labelComponents(inked, columns, rows);
  const groups = groupBy(
    boxes.entries(),
    ([, box]) => labels[row(box[1]) * columns + column(box[0])],
  );
  return Array.from(groups.values(), (group) => group.map(([index]) => index));
}

const clamp = (value: number, count: number): number => Math.min(count - 1, Math.max(0, value));

/** 1 for each cell in one of the ranges: adds up the corners, so that a large box costs no more than a small one. */
function fillGrid(
  ranges: readonly (readonly [number, number, number, number])[],
  columns: number,
  rows: number,
): Uint8Array {
  const stride = columns + 1;
  const changes = new Int32Array(stride * (rows + 1));
  const add = (column: number, row: number, amount: number): void => {
    changes[row * stride + column] = (changes[row * stride + column] ?? 0) + amount;
  };
  for (const [left, top, right, bottom] of ranges) {
    add(left, top, 1);
    add(right + 1, top, -1);
    add(left, bottom + 1, -1);
    add(right + 1, bottom + 1, 1);
  }
  const inked = new Uint8Array(columns * rows);
  /** For each column the ranges that cover its cell of the row. */
  const covering = new Int32Array(columns);
  for (let row = 0; row < rows; row += 1) {
    let change = 0;
    for (let column = 0; column < columns; column += 1) {
      change += changes[row * stride + column] ?? 0;
      const count = (covering[column] ?? 0) + change;
      covering[column] = count;
      if (count > 0) inked[row * columns + column] = 1;
    }
  }
  return inked;
}

/** The most steps from a cell to another one of its component: one empty cell may lie between them. */
const reach = 2;

/** A number from 1 for each inked cell, equal for cells that are connected. */
function labelComponents(inked: Uint8Array, columns: number, rows: number): Int32Array {
  const labels = new Int32Array(inked.length);
  let last = 0;
  for (let start = inked.indexOf(1); start !== -1; start = inked.indexOf(1, start + 1)) {
    if (labels[start] !== 0) continue;
    last += 1;
    labels[start] = last;
    const pending = [start];
    for (let cell = pending.pop(); cell !== undefined; cell = pending.pop()) {
      const [x, y] = [cell % columns, Math.floor(cell / columns)];
      for (let row = Math.max(0, y - reach); row <= Math.min(rows - 1, y + reach); row += 1) {
        for (let at = Math.max(0, x - reach); at <= Math.min(columns - 1, x + reach); at += 1) {
          const other = row * columns + at;
          if (inked[other] === 0 || labels[other] !== 0) continue;
          labels[other] = last;
          pending.push(other);
        }
      }
    }
  }
  return labels;
}
