import { groupNeighbours } from '../../groups.js';
import { sharedWidth } from '../body-print.js';
import { rightOf, unionOf } from '../boxes.js';
import { lineOf } from '../lines.js';
import { softHyphen, type PdfContent, type TextLine, type TextRun } from '../page-content.js';

/**
 * Without the line numbers of a manuscript: on most pages, numbers in even steps stand below each other at a place that the text
 * leaves free, beside running text and from its top to its bottom. Rows of a table are numbered, too, but are no running text, and
 * a listing is not on most pages.
 */
export function withoutLineNumbers(content: PdfContent): PdfContent {
  const full = content.pages.filter(({ lines }) => lines.filter(isProse).length >= fewestNumbers);
  const columns = full.map(({ lines }) => numberColumns(lines));
  const numbered = columns.filter((found) => found.length > 0).length;
  if (numbered === 0 || numbered < full.length * mostPages) return content;
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
const mostPages = 0.5;
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
const tolerance = 2.5;

const isBelow = (run: TextRun, other: TextRun, side: Side): boolean =>
  Math.abs(edgeOf(run, side) - edgeOf(other, side)) < tolerance &&
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
const farthest = 72;
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
    (text) => text[0] >= rightOf(box) && text[0] - rightOf(box) < farthest,
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
