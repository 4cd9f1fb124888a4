import {
  bottomOf,
  gapBetween,
  rightOf,
  unionOf,
  softHyphen,
  type TextLine,
  type TextRun,
  type Box,
  type PdfContent,
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

/** How the running text of a paper is printed. */
export interface BodyPrint {
  readonly fontSize: number;
  /** Of most of its characters; may be empty. */
  readonly font: string;
  readonly bold: boolean;
  readonly italic: boolean;
  /** The usual distance of baselines. */
  readonly leading: number;
}

export function bodyPrint({ pages }: Pick<PdfContent, 'pages'>): BodyPrint {
  const lines = pages.flatMap((page) => page.lines.filter(({ upright }) => upright));
  const fontSize = mostCommon(lines, (line) => line.fontSize) ?? 10;
  const isBody = (line: TextLine): boolean => Math.abs(line.fontSize - fontSize) < 0.3;
  const ofSize = lines.filter(isBody);
  const runs = ofSize.flatMap((line) => line.runs).filter(({ font }) => !isMonospaced(font));
  const font = mostCommon(runs, (run) => run.font) ?? '';
  const ofFont = runs.find((run) => run.font === font);
  const steps = pages.flatMap((page) =>
    page.lines.flatMap((line, index) => {
      const above = page.lines[index - 1];
      if (above === undefined || !line.upright || !isBody(line)) return [];
      const step = baselineOf(line) - baselineOf(above);
      const fits = step > fontSize * 0.8 && step < fontSize * 2.5;
      return fits ? [[Math.round(step * 2) / 2, 1] as const] : [];
    }),
  );
  return {
    fontSize,
    font,
    bold: ofFont?.bold ?? false,
    italic: ofFont?.italic ?? false,
    leading: heaviest(steps) ?? fontSize * 1.2,
  };
}

/** The value with the greatest sum of weights. */
export function heaviest<T>(
  weighted: readonly (readonly [value: T, weight: number])[],
): T | undefined {
  const sums = new Map<T, number>();
  for (const [value, weight] of weighted) sums.set(value, (sums.get(value) ?? 0) + weight);
  return withMost(sums);
}

/** The value of most characters of runs or lines. */
export function mostCommon<Part extends { readonly text: string }, T>(
  parts: readonly Part[],
  valueOf: (part: Part) => T,
): T | undefined {
  const counts = new Map<T, number>();
  for (const part of parts) {
    const value = valueOf(part);
    counts.set(value, (counts.get(value) ?? 0) + part.text.length);
  }
  return withMost(counts);
}

/** The first one of several. */
function withMost<T>(counts: ReadonlyMap<T, number>): T | undefined {
  let found: T | undefined;
  let most = -Infinity;
  for (const [value, count] of counts) {
    if (count > most) [found, most] = [value, count];
  }
  return found;
}

/** Of the longest run: raised marks and accents have others. */
export const baselineOf = ({ runs, box }: TextLine): number =>
  mostCommon(runs, ({ baseline }) => baseline) ?? bottomOf(box);

/** Fonts of program listings, by their names. */
export const isMonospaced = (font: string): boolean =>
  /mono|nimbusmon|cour|typewriter|consol|fixed|menlo|tt\d|^cm\w*tt|^sf[ts]t|^(lm|ec)tt|[a-z]tt-|-tt/i.test(
    font,
  );

/** The width that two boxes share; negative for the gap between them. */
export const sharedWidth = (a: Box, b: Box): number =>
  Math.min(rightOf(a), rightOf(b)) - Math.max(a[0], b[0]);

/** The height that two boxes share; negative for the gap between them. */
export const sharedHeight = (a: Box, b: Box): number =>
  Math.min(bottomOf(a), bottomOf(b)) - Math.max(a[1], b[1]);

/**
 * Whether a paragraph can go on from one line to the next one: the first word of the next line had no place in the line above.
 * @param measure - the width of the paragraph's longest line
 */
export function isFull(line: TextLine, next: TextLine, measure: number): boolean {
  const [first, ...others] = next.runs;
  if (first === undefined) return false;
  // Lines do not break before a number: `Table 5`.
  const end = others.findIndex(({ spaced, text }) => spaced && !/^\d/.test(text));
  const word = [first, ...others.slice(0, end === -1 ? others.length : end)];
  const wordWidth = Math.max(...word.map(({ box }) => rightOf(box))) - first.box[0];
  const space = line.fontSize * 0.2;
  return measure - line.box[2] < wordWidth + space;
}
