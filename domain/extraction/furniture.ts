import { groupNeighbours } from '../statistics/means.js';
import { bodyPrint, sharedWidth, sharedHeight, lineOf } from './lines.js';
import {
  bottomOf,
  rightOf,
  unionOf,
  softHyphen,
  type PageContent,
  type PdfContent,
  type TextLine,
  type TextRun,
} from './page-content.js';

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

/**
 * Without the line numbers of a manuscript: on most pages, numbers in even steps stand below each other at a place that the text
 * leaves free, beside running text and from its top to its bottom. Rows of a table are numbered, too, but are no running text, and
 * a listing is not on most pages.
 */
export function withoutLineNumbers(content: PdfContent): PdfContent {
  const full = content.pages.filter(({ lines }) => lines.filter(isProse).length >= fewestNumbers);
  const columns = full.map(({ lines }) => numberColumns(lines));
  const numbered = columns.filter((found) => found.length > 0).length;
  if (numbered === 0 || numbered < full.length * numberedShare) return content;
  const known = columns.flat();
  const isOne = (run: TextRun): boolean =>
    known.some((number) => sides.some((side) => isBelow(run, number, side)));
  const pages = content.pages.map((page) => {
    const numbers = new Set(numbersOf(page.lines).filter(isOne));
    return { ...page, lines: page.lines.flatMap((line) => without(line, numbers)) };
  });
  return { ...content, pages };
}

/** Of the pages with text. Others show a figure or a table. */
const numberedShare = 0.5;
const fewestNumbers = 4;

const isProse = ({ upright, text }: TextLine): boolean =>
  upright && text.length >= 30 && /\p{L}{2}/u.test(text);

/** The numbers that begin or end lines. */
const numbersOf = (lines: readonly TextLine[]): readonly TextRun[] =>
  lines
    .filter(({ upright }) => upright)
    .flatMap(({ runs }) => [...new Set([...runs.slice(0, 1), ...runs.slice(-1)])])
    .filter(({ text }) => /^\d{1,4}$/.test(text));

/** The sides on which numbers are flush. */
const sides = ['right', 'left'] as const;
type Side = (typeof sides)[number];
const edgeOf = ({ box }: TextRun, side: Side): number => (side === 'left' ? box[0] : rightOf(box));

/** In points. The ink of a 1 is narrower than that of other figures. */
const flushWithin = 2.5;

const isBelow = (run: TextRun, other: TextRun, side: Side): boolean =>
  Math.abs(edgeOf(run, side) - edgeOf(other, side)) < flushWithin &&
  Math.abs(run.fontSize - other.fontSize) < 0.3;

/** One number of each column of line numbers. */
const numberColumns = (lines: readonly TextLine[]): readonly TextRun[] =>
  sides.flatMap((side) => {
    const sorted = [...numbersOf(lines)].sort(
      (a, b) => a.fontSize - b.fontSize || edgeOf(a, side) - edgeOf(b, side),
    );
    return groupNeighbours(sorted, (run, before) => isBelow(run, before, side))
      .filter((group) => group.length >= fewestNumbers && isBesideText(group, lines))
      .flatMap(([first]) => first ?? []);
  });

/** Line by line, or every second, fifth or tenth line. */
const steps = [1, 2, 5, 10];
const mostRegular = 0.8;

/** By how much most numbers exceed the one above; 0 where they do not do so evenly. */
function stepOf(numbers: readonly TextRun[]): number {
  const sorted = [...numbers].sort((a, b) => a.baseline - b.baseline);
  const counts = sorted.slice(1).map(({ text }, at) => Number(text) - Number(sorted[at]?.text));
  const isUsual = (step: number): boolean =>
    counts.filter((count) => count === step).length >= counts.length * mostRegular;
  return steps.find(isUsual) ?? 0;
}

/** Points between the numbers and the text. */
const farthestFromText = 72;
const mostCrossing = 0.1;
const leastCovered = 0.5;

/** Whether text stands beside the numbers from the first to the last one, and none over them. */
function isBesideText(numbers: readonly TextRun[], lines: readonly TextLine[]): boolean {
  const box = unionOf(numbers.map((run) => run.box));
  const prose = lines
    .filter(isProse)
    .map(({ runs }) => unionOf(runs.filter((run) => !numbers.includes(run)).map((run) => run.box)));
  const crossing = prose.filter((text) => sharedWidth(text, box) > 0).length;
  const right = prose.filter(
    (text) => text[0] >= rightOf(box) && text[0] - rightOf(box) < farthestFromText,
  );
  const left = prose.filter((text) => rightOf(text) <= box[0]);
  const covered = numbers.length * stepOf(numbers);
  return (
    covered > 0 &&
    crossing <= prose.length * mostCrossing &&
    [left.length, right.length].some(
      (count) => count >= covered * leastCovered && covered >= count * leastCovered,
    )
  );
}

/** The line without some of its runs. A hyphen at its end may break a word, which a number behind it hides. */
function without(line: TextLine, numbers: ReadonlySet<TextRun>): readonly TextLine[] {
  const [first, ...others] = line.runs.filter((run) => !numbers.has(run));
  if (first === undefined) return [];
  const isWhole = others.length + 1 === line.runs.length;
  const left = isWhole ? line : lineOf({ ...line, runs: [{ ...first, spaced: false }, ...others] });
  return [{ ...left, text: left.text.replace(/(?<=\p{L})-$/u, softHyphen) }];
}

/** Of the size of running text, and of the height of a page: running heads stand further out. */
const [leastSize, edge] = [1.5, 0.18];
/** Of the pages, and points between the places on two of them. */
const [repeatedShare, samePlace] = [0.5, 3];

/**
 * Without watermarks: large text that runs aslant or is printed over text, and text apart that stands at the same place in the
 * midst of most pages.
 */
export function withoutWatermarks(content: PdfContent): PdfContent {
  const { pages } = content;
  const size = bodyPrint(content).fontSize * leastSize;
  const isSame = (line: TextLine, other: TextLine): boolean =>
    line.text === other.text &&
    [0, 1].every((side) => Math.abs((line.box[side] ?? 0) - (other.box[side] ?? 0)) < samePlace);
  const isRepeated = (line: TextLine): boolean => {
    const holding = pages.filter(({ lines }) => lines.some((other) => isSame(line, other)));
    return holding.length > 1 && holding.length >= pages.length * repeatedShare;
  };
  const isWatermark = (line: TextLine, page: PageContent): boolean => {
    if (!/\p{L}{3}/u.test(line.text)) return false;
    const crossed = page.lines.filter((other) => other !== line && isOver(line, other)).length;
    if (line.fontSize >= size && (isAslant(line) || crossed > 1)) return true;
    const isInMidst =
      line.box[1] > page.height * edge && bottomOf(line.box) < page.height * (1 - edge);
    const isBeside = (other: TextLine): boolean =>
      other !== line && sharedHeight(line.box, other.box) > 0;
    return (isAslant(line) || (isInMidst && !page.lines.some(isBeside))) && isRepeated(line);
  };
  return {
    ...content,
    pages: pages.map((page) => ({
      ...page,
      lines: page.lines.filter((line) => !isWatermark(line, page)),
    })),
  };
}

const isAslant = ({ upright, box, fontSize }: TextLine): boolean =>
  !upright && Math.min(box[2], box[3]) > fontSize * 2;

const isOver = ({ box }: TextLine, { box: other, upright }: TextLine): boolean =>
  upright && sharedWidth(box, other) > 2 && sharedHeight(box, other) > other[3] / 3;
