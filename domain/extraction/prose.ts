import { countsOf } from '../statistics/means.js';
import type { BodyPrint } from './body-print.js';
import type { PdfContent, TextLine } from './page-content.js';

/** Smaller print than this share of the body's size is a label, not a footnote. */
const smallestPrint = 0.7;
/** A line this share of the usual width is text wherever it begins. */
const wideLine = 0.55;
/** Numbers along an axis are wide apart. */
const leastInk = 0.6;
/** So many lines make the x at which they begin a margin, and their font a font of the text. */
const fewestLines = 4;

/** The lines of running text, headings and code. The others are labels, cells, formulas and the like. */
export function findProse({ pages }: PdfContent, body: BodyPrint): ReadonlySet<TextLine> {
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
