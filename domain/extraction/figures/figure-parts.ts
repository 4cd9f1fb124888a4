import { groupBy, countsOf } from '../../statistics/means.js';
import type { BodyPrint } from '../lines.js';
import type { Caption } from '../captions.js';
import {
  bottomOf,
  holdsMiddle,
  sharedArea,
  unionOf,
  rightOf,
  type Box,
  type PageContent,
  type TextLine,
  type PdfContent,
} from '../page-content.js';
import type { Place } from '../paper.js';

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
function figureParts(
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

/** What decides about the figures of a page. */
export interface Sheet {
  readonly page: PageContent;
  readonly captions: readonly Caption[];
  readonly parts: readonly FigurePart[];
  /** Text, captions and tables: no figure reaches across them. */
  readonly obstacles: readonly Box[];
  readonly textFonts: ReadonlySet<string>;
  readonly twoColumns: boolean;
}

export function sheetsOf(
  content: PdfContent,
  body: BodyPrint,
  captions: readonly Caption[],
  tables: readonly Place[],
): readonly Sheet[] {
  const prose = findProse(content, body);
  const twoColumns = hasTwoColumns(content, prose);
  return content.pages.map((page, index) => ({
    ...sheetOf(
      page,
      captions.filter((caption) => caption.page === index + 1),
      tables.filter((table) => table.page === index + 1).map(({ box }) => box),
      prose,
    ),
    twoColumns,
  }));
}

function sheetOf(
  page: PageContent,
  captions: readonly Caption[],
  tables: readonly Box[],
  prose: ReadonlySet<TextLine>,
): Omit<Sheet, 'twoColumns'> {
  const captionLines = captions.flatMap(({ lines }) => lines);
  const own = new Set(captionLines);
  const isText = (line: TextLine): boolean => prose.has(line) && !isPartLabel(line);
  const text = page.lines.filter((line) => own.has(line) || isText(line));
  const parts = figureParts(page, text, tables);
  const drawn = parts.flatMap(({ marks }) => marks.filter(isSpacious));
  const outside = text.filter(
    (line) => own.has(line) || !drawn.some((mark) => holds(mark, line.box)),
  );
  const obstacles = [...outside.map(({ box }) => box), ...tables];
  const textFonts = new Set(text.map(fontOf));
  return { page, captions, parts, obstacles, textFonts };
}

/** `(a) Before` below a part of a figure. */
const isPartLabel = ({ text }: TextLine): boolean => /^\([a-z]\)(\s|$)/.test(text);

/** Whether nearly all of the inner box is in the outer one. */
const holds = (outer: Box, inner: Box): boolean =>
  sharedArea(outer, inner) > 0.9 * inner[2] * inner[3];

/** Large enough to hold labels. */
const isSpacious = ([, , width, height]: Box): boolean => width > 40 && height > 40;

/** Whether few wide lines cross the middle of their page. */
function hasTwoColumns({ pages }: PdfContent, prose: ReadonlySet<TextLine>): boolean {
  const wide = pages.flatMap(({ width, lines }) =>
    lines
      .filter((line) => prose.has(line) && line.box[2] > width * 0.3)
      .map(({ box }) => box[0] < width * 0.47 && rightOf(box) > width * 0.53),
  );
  return wide.length > 0 && wide.filter(Boolean).length < wide.length * 0.3;
}

/** Smaller print than this share of the body's size is a label, not a footnote. */
const smallestPrint = 0.7;
/** A line this share of the usual width is text wherever it begins. */
const wideLine = 0.55;
/** Numbers along an axis are wide apart. */
const leastInk = 0.6;
/** So many lines make the x at which they begin a margin, and their font a font of the text. */
const fewestLines = 4;

/** The lines of running text, headings and code. The others are labels, cells, formulas and the like. */
function findProse({ pages }: PdfContent, body: BodyPrint): ReadonlySet<TextLine> {
  const lines = pages.flatMap((page) => page.lines).filter(({ upright }) => upright);
  const measure = usualWidth(lines, body);
  const isBody = (line: TextLine): boolean => Math.abs(line.fontSize - body.fontSize) < 0.6;
  const isWide = (line: TextLine): boolean =>
    line.box[2] >= measure * wideLine && inkWidth(line) > line.box[2] * leastInk;
  const large = lines.filter((line) => line.fontSize >= body.fontSize * smallestPrint);
  const margins = frequent(large.filter((line) => isBody(line) && isWide(line)).map(startOf));
  const isAtMargin = (line: TextLine): boolean =>
    [-1, 0, 1].some((shift) => margins.has(startOf(line) + shift));
  const fonts = frequent(large.filter((line) => isAtMargin(line) && hasWord(line)).map(fontOf));
  return new Set(
    large.filter(
      (line) =>
        (isAtMargin(line) &&
          hasWord(line) &&
          (fonts.has(fontOf(line)) || line.fontSize > body.fontSize)) ||
        (isWide(line) && fonts.has(fontOf(line))),
    ),
  );
}

/** Of the lines in the size of the body. Three quarters of them are not wider. */
function usualWidth(lines: readonly TextLine[], body: BodyPrint): number {
  const widths = lines
    .filter((line) => line.fontSize === body.fontSize)
    .map(({ box }) => box[2])
    .sort((a, b) => a - b);
  return widths[Math.floor(widths.length * 0.75)] ?? 0;
}

/** Unlike the numbers of an axis. */
const hasWord = ({ text }: TextLine): boolean => /\p{L}{2}|^>/u.test(text);

const inkWidth = ({ runs }: TextLine): number => runs.reduce((width, { box }) => width + box[2], 0);

const startOf = ({ box }: TextLine): number => Math.round(box[0]);

/** The font of the line's longest run. */
export const fontOf = ({ runs }: TextLine): string =>
  runs.reduce((longest, run) => (run.box[2] > longest.box[2] ? run : longest)).font;

const frequent = <T>(values: readonly T[]): ReadonlySet<T> =>
  new Set([...countsOf(values)].flatMap(([value, count]) => (count >= fewestLines ? [value] : [])));
