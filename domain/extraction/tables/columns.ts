import { groupNeighbours } from '../../statistics/means.js';
import {
  rightOf,
  unionOf,
  softHyphen,
  type Box,
  type PageContent,
  type TextLine,
} from '../page-content.js';

/** Where the words of a column begin and end. */
export interface Column {
  readonly from: number;
  readonly to: number;
}

/** Words of a row with no more than a space between them. */
export const phrasesOf = (row: Row, space: number): readonly (readonly Word[])[] =>
  groupNeighbours(
    row.words,
    ({ box, fontSize }, before) => box[0] - rightOf(before.box) < wideGap(space) * fontSize,
  );

/** Wider than a space of justified text, in ems. */
export const wideGap = (space: number): number => Math.max(space * 1.6, space + 0.2);

/** The columns of rows: between them runs a strip without words in (nearly) all rows with many words. */
export function columnsOf(rows: readonly Row[], space: number): readonly Column[] {
  const counts = rows.map((row) => phrasesOf(row, space).length);
  const usual = [...counts].sort((a, b) => a - b)[Math.floor(counts.length * 0.8)] ?? 0;
  const isFull = counts.map((count) => count >= Math.max(2, usual * 0.75));
  const full = rows.filter((_, index) => isFull[index]);
  if (full.length === 0) return [];
  const candidates = emptyStrips(full).filter((strip) => separates(strip, full, space));
  const strips = full.length < 3 ? candidates : withoutLoneColumns(candidates, full);
  const edges = [-Infinity, ...strips.map(({ from, to }) => (from + to) / 2), Infinity];
  const words = full.flatMap((row) => row.words);
  const columns = edges.slice(1).flatMap((edge, index) => {
    const inside = words.filter(({ box: [x, , width] }) => {
      const middle = x + width / 2;
      return middle > (edges[index] ?? 0) && middle <= edge;
    });
    return inside.length === 0 ? [] : [hull(inside, edges[index] ?? 0, edge)];
  });
  return grow(columns, rows.slice(isFull.indexOf(true)), space);
}

/** Words that only one row has between two strips, such as a wide name of a column, belong to the nearer column. */
function withoutLoneColumns(strips: readonly Column[], rows: readonly Row[]): readonly Column[] {
  const left = [...strips];
  for (let index = left.length; index >= 0; index -= 1) {
    const [before, after] = [left[index - 1], left[index]];
    const filled = rows.filter(({ words }) =>
      words.some(({ box }) => {
        const middle = box[0] + box[2] / 2;
        return middle > (before?.to ?? -Infinity) - 1 && middle < (after?.from ?? Infinity) + 1;
      }),
    );
    if (filled.length > 1) continue;
    const width = (strip: Column | undefined): number =>
      strip === undefined ? Infinity : strip.to - strip.from;
    left.splice(width(before) < width(after) ? index - 1 : index, 1);
  }
  return left;
}

/** A word that crosses the strip beside the column does not widen the column. */
function hull(words: readonly Word[], least: number, most: number): Column {
  return {
    from: Math.max(least, Math.min(...words.map(({ box }) => box[0]))),
    to: Math.min(most, Math.max(...words.map(({ box }) => rightOf(box)))),
  };
}

function emptyStrips(rows: readonly Row[]): readonly Column[] {
  const crossing = Math.floor(rows.length * 0.04);
  const events = rows
    .flatMap(({ words }) => words)
    .flatMap(({ box }): [number, number][] => [
      [box[0], 1],
      [rightOf(box), -1],
    ])
    .sort(([a], [b]) => a - b);
  const strips: Column[] = [];
  let depth = 0;
  let from: number | null = null;
  for (const [at, step] of events) {
    depth += step;
    if (depth <= crossing) {
      from ??= at;
    } else if (from !== null) {
      if (at > from) strips.push({ from, to: at });
      from = null;
    }
  }
  return strips;
}

/** Whether a strip is more than the chance that spaces of a few lines lie below each other. */
function separates(strip: Column, rows: readonly Row[], space: number): boolean {
  const middle = (strip.from + strip.to) / 2;
  const gaps: number[] = [];
  let numbers = 0;
  for (const { words } of rows) {
    const left = words.findLast(({ box }) => box[0] + box[2] / 2 < middle);
    const right = words.find(({ box }) => box[0] + box[2] / 2 >= middle);
    if (left === undefined || right === undefined) continue;
    gaps.push((right.box[0] - rightOf(left.box)) / right.fontSize);
    if (isNumeric(left.text) && isNumeric(right.text) && !areThousands(left, right)) numbers += 1;
  }
  if (gaps.length === 0) return false;
  const width = (strip.to - strip.from) / (rows[0]?.fontSize ?? 1);
  const numeric = numbers >= gaps.length * 0.6;
  const least = rows.length >= 6 ? 0.3 : rows.length >= 3 ? 0.5 : 0.8;
  if (numeric) return width > Math.min(least, space * 0.9);
  return width > least && median(gaps) > wideGap(space);
}

/** `10 000`: one number. */
const areThousands = (left: Word, right: Word): boolean =>
  /^\d{1,3}$/.test(left.text) &&
  /^\d{3}$/.test(right.text) &&
  right.box[0] - rightOf(left.box) < 0.4 * right.fontSize;

/** Rows with fewer words widen columns and add the columns that only they fill. */
function grow(columns: readonly Column[], rows: readonly Row[], space: number): readonly Column[] {
  let grown = [...columns];
  for (const row of rows) {
    const phrases = phrasesOf(row, space).map((words) => ({
      from: words[0]?.box[0] ?? 0,
      to: Math.max(...words.map(({ box }) => rightOf(box))),
    }));
    if (phrases.length < 2) continue;
    for (const phrase of phrases) {
      const touched = grown.filter(({ from, to }) => from < phrase.to && to > phrase.from);
      const [only] = touched;
      const clear = 0.3 * row.fontSize;
      const wide =
        only === undefined
          ? phrase
          : {
              from: Math.min(only.from, phrase.from),
              to: Math.max(only.to, phrase.to),
            };
      const others = grown.filter((column) => column !== only);
      if (touched.length > 1) continue;
      if (others.some(({ from, to }) => from < wide.to + clear && to > wide.from - clear)) continue;
      grown = [...others, wide].sort((a, b) => a.from - b.from);
    }
  }
  return grown;
}

/** Runs without a space between them. */
export interface Word {
  readonly text: string;
  readonly box: Box;
  /** Of its first run. */
  readonly baseline: number;
  readonly fontSize: number;
  readonly font: string;
  readonly bold: boolean;
  readonly line: TextLine;
}

/** Words beside each other. */
export interface Row {
  /** From left to right. */
  readonly words: readonly Word[];
  /** The y of the first and of the last baseline; a cell of two lines beside one of one line has other baselines. */
  readonly first: number;
  readonly last: number;
  /** Of its largest word. */
  readonly fontSize: number;
}

/** Marks that lead from a row's name to its values. */
const leader = /^[.·…_]{3,}$|^[.·…]$/;
const trailingLeader = /[.·…_]{4,}$/;

/** The words of the level lines, without leaders of dots. */
export function wordsOf({ lines }: PageContent): readonly Word[] {
  return lines.filter(({ upright }) => upright).flatMap(wordsOfLine);
}

function wordsOfLine(line: TextLine): readonly Word[] {
  const words: Word[] = [];
  for (const run of line.runs) {
    const last = words.at(-1);
    const near =
      last !== undefined && run.box[0] - rightOf(last.box) < Math.max(run.fontSize, 4) * 0.3;
    const { box, baseline, fontSize, font, bold, inText: text = run.text } = run;
    if (last !== undefined && !run.spaced && near) {
      words[words.length - 1] = { ...last, text: last.text + text, box: unionOf([last.box, box]) };
    } else {
      words.push({ text, box, baseline, fontSize, font, bold, line });
    }
  }
  return words.flatMap((word) => {
    if (leader.test(word.text) && words.length > 1) return [];
    const text = word.text.replace(trailingLeader, '');
    if (text === word.text) return [word];
    const [x, y, width, height] = word.box;
    const share = text.length / word.text.length;
    return text === '' ? [] : [{ ...word, text, box: [x, y, width * share, height] as const }];
  });
}

/** Rows from the top. Words belong to one row if their baselines are nearer than lines of text can be. */
export function rowsOf(words: readonly Word[]): readonly Row[] {
  const sorted = [...words].sort((a, b) => a.baseline - b.baseline);
  return groupNeighbours(
    sorted,
    ({ baseline, fontSize }, before) => baseline - before.baseline < nearestLines * fontSize,
  ).map(rowOf);
}

/** Baselines of text are at least this far apart, in ems. */
const nearestLines = 0.66;

function rowOf(words: readonly Word[]): Row {
  const baselines = words.map(({ baseline }) => baseline);
  return {
    words: [...words].sort((a, b) => a.box[0] - b.box[0]),
    first: Math.min(...baselines),
    last: Math.max(...baselines),
    fontSize: Math.max(...words.map(({ fontSize }) => fontSize)),
  };
}

/** The width of a space of the page's text, in ems. */
export function spaceOf(words: readonly Word[]): number {
  const gaps = words.flatMap((word, index) => {
    const before = words[index - 1];
    if (before?.line !== word.line) return [];
    const gap = (word.box[0] - rightOf(before.box)) / word.fontSize;
    return gap > 0.1 && gap < 0.8 ? [gap] : [];
  });
  return gaps.length < 10 ? 0.28 : median(gaps);
}

/** Text of the words, line by line. */
export function textOf(words: readonly Word[]): string {
  const lines = rowsOfLines(words).map((line) => line.map(({ text }) => text).join(' '));
  return lines
    .reduce((text, line) => (text.endsWith(softHyphen) ? text + line : `${text} ${line}`), '')
    .replaceAll(softHyphen, '')
    .trim();
}

function rowsOfLines(words: readonly Word[]): readonly (readonly Word[])[] {
  const sorted = [...words].sort((a, b) => a.baseline - b.baseline);
  const lines = groupNeighbours(
    sorted,
    ({ baseline, fontSize }, _, [first]) => baseline - (first?.baseline ?? 0) < 0.5 * fontSize,
  );
  return lines.map((line) => line.sort((a, b) => a.box[0] - b.box[0]));
}

/** Numbers, amounts and the marks that stand for missing ones. */
export const isNumeric = (text: string): boolean =>
  /^[-–—−+±<>≤≥~≈$€£(*[]*\d[\d.,:/\-–−%()*†‡\]a-f^]*$/.test(text) ||
  /^[-–—−.:*†‡]+$|^\(?n\/?a\)?\.?$/i.test(text);

/** @param values - not empty */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
