import { bodyPrint } from '../body-print.js';
import { bottomOf } from '../boxes.js';
import type { PageContent, PdfContent, TextLine } from '../page-content.js';

/** The share of a page's height, from its top and from its bottom, in which running heads stand. */
const verticalMargin = 0.18;
/** The share of its width, from each side, in which turned stamps stand. */
const sideMargin = 0.08;
/** Rows of a running head. */
const mostRows = 3;
/** The distance of a running head from the text, in font sizes. Lines of text are closer. */
const leastDistance = 1.6;
/** Points between the places of one running head on two pages. */
const tolerance = 3;
/** Pages apart that repeat it: left and right pages have different ones. */
const farthest = 3;

/**
 * Running heads, page numbers and stamps: lines at the edge of a page that one near by has at the same place, with the same
 * text up to its numbers or beside such lines, and turned lines in the side margins.
 */
export function findRunningHeads({ pages }: PdfContent): ReadonlySet<TextLine> {
  const edges = pages.map((page) => [...edgeLines(page, 'top'), ...edgeLines(page, 'bottom')]);
  const near = (index: number): readonly TextLine[] =>
    edges
      .slice(Math.max(0, index - farthest), index + farthest + 1)
      .filter((lines) => lines !== edges[index])
      .flat();
  const repeated = new Set(
    edges.flatMap((lines, index) => {
      const others = near(index);
      return lines.filter((line) => others.some((other) => isRepeated(line, other)));
    }),
  );
  // A head that changes, as with the title of its section, stands where others do.
  const changing = edges.flatMap((lines, index) => {
    const others = near(index).filter((other) => repeated.has(other));
    return lines.filter((line) => others.filter((other) => isBeside(line, other)).length > 1);
  });
  return new Set([...repeated, ...changing, ...loneHeads(pages), ...pages.flatMap(stampsOf)]);
}

/** The heads that one page has: above where the text of any page begins, in smaller print or another font. */
function loneHeads(pages: readonly PageContent[]): readonly TextLine[] {
  const { fontSize, font } = bodyPrint({ pages });
  const isText = (line: TextLine): boolean =>
    line.upright &&
    line.text.length >= 30 &&
    line.runs.some((run) => run.font === font && run.fontSize === fontSize);
  const text = pages.flatMap(({ lines }) => lines.filter(isText));
  const top = text.reduce((least, { box }) => Math.min(least, box[1]), Infinity);
  // A heading is larger or bold.
  const isHead = (line: TextLine): boolean =>
    bottomOf(line.box) < top - line.fontSize / 2 &&
    (line.fontSize < fontSize * 0.95 ||
      (line.fontSize <= fontSize && !line.bold && line.runs.every((run) => run.font !== font)));
  return pages.slice(1).flatMap((page) => edgeLines(page, 'top').filter(isHead));
}

/** The outermost rows up to a wide gap; none if the text reaches to the edge. */
function edgeLines({ height, lines }: PageContent, edge: 'top' | 'bottom'): readonly TextLine[] {
  const distance = ({ box }: TextLine): number =>
    edge === 'top' ? box[1] : height - bottomOf(box);
  const outer = lines
    .filter((line) => line.upright)
    .map((line) => ({ line, from: distance(line) }))
    .sort((a, b) => a.from - b.from);
  const found: TextLine[] = [];
  let rows = 0;
  for (const [index, { line, from }] of outer.entries()) {
    if (from > height * verticalMargin) break;
    found.push(line);
    const step = (outer[index + 1]?.from ?? Infinity) - from;
    if (step > line.fontSize * leastDistance) return found;
    if (step > tolerance) rows += 1;
    if (rows === mostRows) break;
  }
  return [];
}

const stampsOf = ({ width, lines }: PageContent): readonly TextLine[] =>
  lines.filter(({ upright, box: [x, , lineWidth] }) => {
    const middle = x + lineWidth / 2;
    return !upright && (middle < width * sideMargin || middle > width * (1 - sideMargin));
  });

const isRepeated = (line: TextLine, other: TextLine): boolean =>
  isBeside(line, other) && pattern(line.text) === pattern(other.text);

/** Whether both stand at one height of their pages, in one size. */
const isBeside = (line: TextLine, other: TextLine): boolean =>
  Math.abs(line.fontSize - other.fontSize) < 0.5 &&
  (Math.abs(line.box[1] - other.box[1]) < tolerance ||
    Math.abs(bottomOf(line.box) - bottomOf(other.box)) < tolerance);

/** Its text with one sign for a number, also a roman one of a page. */
const pattern = (text: string): string =>
  /^[ivxl]+$/i.test(text) ? '#' : text.replace(/\d+/g, '#').replace(/\s+/g, ' ');
