import { baselineOf, mostCommon, printed } from '../lines.js';
import { rightOf, unionOf, type Box, type TextLine, type TextRun } from '../page-content.js';

/** A stretch of a line without a wide gap. Its text has `mark` in place of each raised mark of a footnote or an affiliation. */
export interface Cell {
  readonly text: string;
  readonly box: Box;
  readonly fontSize: number;
  readonly font: string;
  readonly line: TextLine;
}

/** Stands for marks such as `1,2`, `*` and `†`. */
export const mark = '\u0001';

/** In font sizes. `\and` of LaTeX leaves more than 1; words are at most 0.6 apart. */
const wideGap = 0.9;

export function cellsOf(line: TextLine): readonly Cell[] {
  const whole = printed(line.runs);
  // Otherwise a word that was broken in two now stands in one of its lines, so the runs are not the text.
  if (whole !== line.text) return [cellOf(line, line.runs, line.text)];
  const pieces: TextRun[][] = [];
  for (const run of line.runs) {
    const before = pieces.at(-1)?.at(-1);
    const gap = before === undefined ? Infinity : run.box[0] - rightOf(before.box);
    if (gap > wideGap * line.fontSize) pieces.push([run]);
    else pieces.at(-1)?.push(run);
  }
  return pieces.map((runs) => cellOf(line, runs, markedText(line, runs)));
}

function cellOf(line: TextLine, runs: readonly TextRun[], text: string): Cell {
  return {
    text: text.replace(symbols, mark).trim(),
    box: unionOf(runs.map(({ box }) => box)),
    fontSize: line.fontSize,
    font: mostCommon(runs, ({ font }) => font) ?? '',
    line,
  };
}

/** Marks that stand for themselves, raised or not. An asterisk with a letter on either side may belong to a name. */
const symbols = /(?<![\p{L}\d])[*∗]+|[*∗]+(?![\p{L}\d])|[†‡§¶‖∥☆⋆✉\u2709]+/gu;

function markedText(line: TextLine, runs: readonly TextRun[]): string {
  const baseline = baselineOf(line);
  let text = '';
  for (const run of runs) {
    if (isMark(run, line, baseline)) {
      if (!text.endsWith(mark)) text += mark;
    } else {
      text += run.spaced || text.endsWith(mark) ? ` ${run.text}` : run.text;
    }
  }
  return text.replaceAll(` ${mark}`, mark).replace(new RegExp(`${mark} (?=[,;:.)])`, 'gu'), mark);
}

/** Raised, smaller than its line and as short as a list of numbers or letters. */
function isMark(run: TextRun, line: TextLine, baseline: number): boolean {
  return (
    baseline - run.baseline > 0.15 * line.fontSize &&
    run.fontSize < 0.9 * line.fontSize &&
    /^[\p{L}\d\p{P}\p{S}]{1,8}$/u.test(run.text) &&
    !/\p{L}{3}/u.test(run.text)
  );
}

/** A text without marks. */
export const unmarked = (text: string): string =>
  text
    .replaceAll(mark, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[,;:.)])/g, '')
    .trim();

/** Letters and digits in lower case, without accents, to compare what is printed with what is stated. */
export const squash = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
