import { groupNeighbours } from '../../groups.js';
import { rightOf } from '../boxes.js';
import { isNumeric, median, type Row, type Word } from './words.js';

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
