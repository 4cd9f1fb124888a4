import { groupBy } from '../groups.js';
import { sharedWidth } from './body-print.js';
import { rightOf, unionOf } from './boxes.js';
import { lineOf } from './lines.js';
import {
  softHyphen,
  type Box,
  type PdfContent,
  type TextLine,
  type TextRun,
} from './page-content.js';

/** Numbers below each other on a page. */
interface NumberColumn {
  readonly box: Box;
  readonly fontSize: number;
}

/** A number that begins or ends a line, or is one. */
interface Candidate {
  readonly run: TextRun;
  readonly value: number;
}

/**
 * Without the line numbers of a manuscript: on most pages, numbers in even steps stand below each other at a place that the text
 * leaves free, beside running text and from its top to its bottom. Rows of a table are numbered, too, but are no running text, and
 * a listing is not on most pages.
 */
export function withoutLineNumbers(content: PdfContent): PdfContent {
  const { pages } = content;
  const full = pages.filter(({ lines }) => lines.filter(isProse).length >= fewestNumbers);
  const columns = full.map(({ lines }) => numberColumns(lines));
  const numbered = columns.filter((found) => found.length > 0).length;
  if (numbered === 0 || numbered < full.length * mostPages) return content;
  const known = columns.flat();
  const isNumber = ({ run }: Candidate): boolean =>
    known.some((column) => isAt(run, column, 'left') || isAt(run, column, 'right'));
  return {
    ...content,
    pages: pages.map((page) => {
      const numbers = new Set(
        candidatesOf(page.lines)
          .filter(isNumber)
          .map(({ run }) => run),
      );
      return { ...page, lines: page.lines.flatMap((line) => without(line, numbers)) };
    }),
  };
}

/** Of the pages with text. Others show a figure or a table. */
const mostPages = 0.5;
const fewestNumbers = 4;

const isProse = ({ upright, text }: TextLine): boolean =>
  upright && text.length >= 30 && /\p{L}{2}/u.test(text);

function candidatesOf(lines: readonly TextLine[]): readonly Candidate[] {
  const ends = lines
    .filter(({ upright }) => upright)
    .flatMap(({ runs }) => [...new Set([runs[0], runs.at(-1)])]);
  return ends.flatMap((run) =>
    run !== undefined && /^\d{1,4}$/.test(run.text) ? [{ run, value: Number(run.text) }] : [],
  );
}

function numberColumns(lines: readonly TextLine[]): readonly NumberColumn[] {
  const candidates = candidatesOf(lines);
  return (['right', 'left'] as const).flatMap((side) =>
    groupsAt(candidates, side).flatMap((group) => {
      const column = {
        box: unionOf(group.map(({ run }) => run.box)),
        fontSize: group[0]?.run.fontSize ?? 0,
      };
      const step = stepOf(group);
      return step !== null && isBesideText(column, group, step, lines) ? [column] : [];
    }),
  );
}

/** Points. The ink of a 1 is narrower than that of other figures. */
const tolerance = 2.5;
type Side = 'left' | 'right';
const edgeOf = (box: Box, side: Side): number => (side === 'left' ? box[0] : rightOf(box));

/** Numbers of one size with one edge. */
function groupsAt(candidates: readonly Candidate[], side: Side): readonly (readonly Candidate[])[] {
  const groups: Candidate[][] = [];
  for (const candidate of candidates) {
    const { box, fontSize } = candidate.run;
    const group = groups.find(([first]) => first && isAt(first.run, { box, fontSize }, side));
    if (group === undefined) groups.push([candidate]);
    else group.push(candidate);
  }
  return groups.filter(({ length }) => length >= fewestNumbers);
}

const isAt = ({ box, fontSize }: TextRun, column: NumberColumn, side: Side): boolean =>
  Math.abs(edgeOf(box, side) - edgeOf(column.box, side)) < tolerance &&
  Math.abs(fontSize - column.fontSize) < 0.3;

/** Line by line, or every second, fifth or tenth line. */
const steps = [1, 2, 5, 10];
const mostRegular = 0.8;

/** By how much most numbers exceed the one above; null where they do not do so evenly. */
function stepOf(group: readonly Candidate[]): number | null {
  const sorted = [...group].sort((a, b) => a.run.baseline - b.run.baseline);
  const differences = sorted.slice(1).map(({ value }, at) => value - (sorted[at]?.value ?? 0));
  const [most] = [...groupBy(differences, (difference) => difference)].sort(
    ([, a], [, b]) => b.length - a.length,
  );
  if (most === undefined) return null;
  const [step, equal] = most;
  return steps.includes(step) && equal.length >= differences.length * mostRegular ? step : null;
}

/** Points between the numbers and the text. */
const farthest = 72;
const mostCrossing = 0.1;
const leastCovered = 0.5;

/** Whether text stands beside the column from its top to its bottom, and none over it. */
function isBesideText(
  { box }: NumberColumn,
  group: readonly Candidate[],
  step: number,
  lines: readonly TextLine[],
): boolean {
  const numbers = new Set(group.map(({ run }) => run));
  const prose = lines
    .filter(isProse)
    .map(({ runs }) => unionOf(runs.flatMap((run) => (numbers.has(run) ? [] : [run.box]))));
  const crossing = prose.filter((text) => sharedWidth(text, box) > 0).length;
  const beside = [
    prose.filter((text) => text[0] >= rightOf(box) && text[0] - rightOf(box) < farthest),
    prose.filter((text) => rightOf(text) <= box[0]),
  ].map(({ length }) => length);
  const numbered = group.length * step;
  return (
    crossing <= prose.length * mostCrossing &&
    beside.some((count) => count >= numbered * leastCovered && numbered >= count * leastCovered)
  );
}

/** The line without some of its runs. A hyphen at its end may break a word, which a number behind it hides. */
function without(line: TextLine, numbers: ReadonlySet<TextRun>): readonly TextLine[] {
  const runs = line.runs.filter((run) => !numbers.has(run));
  const [first, ...others] = runs;
  if (first === undefined) return [];
  const isWhole = runs.length === line.runs.length;
  const left = isWhole
    ? line
    : lineOf({ upright: line.upright, runs: [{ ...first, spaced: false }, ...others] });
  return [{ ...left, text: left.text.replace(/(?<=\p{L})-$/u, softHyphen) }];
}
