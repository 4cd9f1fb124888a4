import { isMonospaced, mostCommon } from './body-print.js';
import {
  bottomOf,
  gapBetween,
  rightOf,
  unionOf,
  softHyphen,
  type TextLine,
  type TextRun,
} from './page-content.js';

/** Runs that follow each other in the text layer of a PDF without a line break between them. At least one. */
export interface Strip {
  readonly upright: boolean;
  readonly runs: readonly TextRun[];
}

interface OpenLine {
  readonly upright: boolean;
  readonly runs: TextRun[];
}

/**
 * The lines of a page, in the order of its text layer. Layers break a line at raised and lowered marks, which belong to it,
 * and do not always break it between two columns or table cells.
 */
export function linesOf(strips: readonly Strip[]): readonly TextLine[] {
  const lines: OpenLine[] = [];
  for (const strip of strips) {
    const { upright, runs } = strip;
    const whole = isStretched(strip);
    for (const [index, run] of runs.entries()) {
      const line = lines.at(-1);
      if (line === undefined || line.upright !== upright) {
        lines.push({ upright, runs: [atStart(run)] });
      } else if (index === 0 && continues(line, run)) {
        line.runs.push(joined(line, run));
      } else if (index > 0 && (whole || isNear(line, run))) {
        line.runs.push(run);
      } else {
        lines.push({ upright, runs: [atStart(run)] });
      }
    }
  }
  return lines.map(lineOf);
}

const atStart = (run: TextRun): TextRun => (run.spaced ? { ...run, spaced: false } : run);

/** White space this many times as high as the font ends a line. */
const widestSpace = 1.5;
/** The same before a tab stop, after a label at the start of a line or after leading dots. */
const widestTab = 4;
const label =
  /^([•▪■‣◦–*§]|[[(]?(\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})([.-]\d{1,3})*[.)\]:]{0,2}|(figure|fig\.|table|tab\.|algorithm|listing)( \d{1,3}[.:]?)?)$/i;
const longestLabel = 2;
const leaders = /^[.·_]+$/;

function isNear({ runs }: OpenLine, next: TextRun): boolean {
  const last = lastOf(runs);
  const gap = gapBetween(last.box, next.box) / Math.max(last.fontSize, next.fontSize);
  if (gap <= widestSpace) return true;
  // Program code is indented and set in columns.
  if (isMonospaced(last.font) && isMonospaced(next.font)) return true;
  const toTab =
    leaders.test(last.text) ||
    (runs.length <= longestLabel && label.test(printed(runs)) && /\p{L}/u.test(next.text));
  return toTab && gap <= widestTab;
}

/** How much wider the widest space of a justified line is than the narrowest, by the ink around them. */
const unevenness = 1.3;

/** A justified line with few words. All its spaces are about equally wide, which the gaps between cells are not or hold numbers. */
function isStretched({ runs }: Strip): boolean {
  const gaps = runs.slice(1).map((run, index) => gapBetween(runs[index]?.box ?? run.box, run.box));
  const [narrowest, widest] = [Math.min(...gaps), Math.max(...gaps)];
  const words = runs.filter(({ text }) => /\p{L}{2}/u.test(text)).length;
  return (
    gaps.length > 2 &&
    widest < narrowest * unevenness &&
    widest < widestTab * (runs[0]?.fontSize ?? 0) &&
    words > runs.length * 0.7
  );
}

/** Whether a strip goes on with a line: it has another baseline, but begins beside the end of the line. */
function continues({ upright, runs }: OpenLine, next: TextRun): boolean {
  const last = lastOf(runs);
  if (!upright || last.text.endsWith(softHyphen)) return false;
  const size = Math.max(last.fontSize, next.fontSize);
  const gap = next.box[0] - rightOf(last.box);
  const bottoms = Math.abs(bottomOf(last.box) - bottomOf(next.box));
  // A small mark may be level with what has an accent or an index rather than with those.
  const level = runs.slice(-2).filter((run) => run === last || next.fontSize < run.fontSize * 0.9);
  const [, top, , height] = unionOf(level.map(({ box }) => box));
  const overlap = Math.min(top + height, bottomOf(next.box)) - Math.max(top, next.box[1]);
  return (bottoms < size * 0.8 || overlap > 0) && gap > -size * 0.2 && gap < size * 0.5;
}

/** White space this many times as high as the font parts two words. */
const narrowestSpace = 0.25;

function joined({ runs }: OpenLine, next: TextRun): TextRun {
  const gap = next.box[0] - rightOf(lastOf(runs).box);
  return gap < narrowestSpace * next.fontSize ? next : { ...next, spaced: true };
}

function lastOf(runs: readonly TextRun[]): TextRun {
  const last = runs.at(-1);
  if (last === undefined) throw new Error('A line has a run.');
  return last;
}

/** The line that runs make. */
export function lineOf({ upright, runs }: Strip): TextLine {
  return {
    text: printed(runs),
    runs,
    box: unionOf(runs.map(({ box }) => box)),
    fontSize: mostCommon(runs, ({ fontSize }) => fontSize) ?? 0,
    bold: mostCommon(runs, ({ bold }) => bold) ?? false,
    upright,
  };
}

/** The text of runs of one line. */
export const printed = (runs: readonly TextRun[]): string =>
  runs.map(({ text, inText = text, spaced }) => (spaced ? ` ${inText}` : inText)).join('');

/** The text of lines in reading order. A line that goes on to the right, as in the row of a table, stays on one line. */
export const textOf = (lines: readonly TextLine[]): string =>
  lines
    .map((line, index) => {
      const before = lines[index - 1];
      const separator = before === undefined ? '' : standsBeside(before, line) ? ' ' : '\n';
      return separator + line.text;
    })
    .join('');

/** Whether `next` stands right of `line` at the same height. */
export function standsBeside({ box, upright }: TextLine, next: TextLine): boolean {
  const shared = Math.min(bottomOf(box), bottomOf(next.box)) - Math.max(box[1], next.box[1]);
  const lower = Math.min(box[3], next.box[3]);
  return upright && next.upright && next.box[0] >= rightOf(box) && shared > lower / 2;
}
