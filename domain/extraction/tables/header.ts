import { rightOf } from '../boxes.js';
import type { Column } from './columns.js';
import type { Cell } from './grid.js';
import type { Rule, Rules } from './rules.js';
import type { PieceRow } from './pieces.js';
import type { Word } from './words.js';

/** A cell of the header before its rows are counted. */
interface HeaderCell {
  readonly column: number;
  readonly lastColumn: number;
  readonly words: readonly Word[];
  /** Baselines of its first and last line. */
  readonly first: number;
  readonly last: number;
}

/** The cells above the body: names of several lines are joined, names of several columns span them. */
export function headerCells(
  rows: readonly PieceRow[],
  columns: readonly Column[],
  { level: rules, upright }: Rules,
  body: PieceRow | undefined,
): readonly Cell[] {
  const pieces = rows.flatMap((row, index) =>
    row.pieces.map((piece, at): HeaderCell => {
      const next = rows[index + 1] ?? body;
      const span =
        spanOfFrame(row, at, columns, upright) ??
        spanOfRule(row, at, next, columns, rules) ??
        (index + 1 < rows.length ? centredSpan(row, at, columns) : null);
      return { ...piece, ...span, first: row.first, last: row.last };
    }),
  );
  return levels(joinLines(pieces, columns, rules));
}

/** The columns between the upright rules beside a name, if it is the only one there. */
function spanOfFrame(
  row: PieceRow,
  at: number,
  columns: readonly Column[],
  upright: readonly Rule[],
): Span | null {
  const beside = upright.filter((rule) => rule.from < row.first - 1 && rule.to > row.first - 3);
  const [from, to] = extent(row.pieces[at]?.words ?? []);
  const left = Math.max(...beside.map((rule) => rule.at).filter((x) => x < from + 2));
  const right = Math.min(...beside.map((rule) => rule.at).filter((x) => x > to - 2));
  if (beside.length < 2 || !Number.isFinite(left) || !Number.isFinite(right)) return null;
  return spanBetween(row, at, columns, left, right);
}

/** The columns above which the rule below a name runs. */
function spanOfRule(
  row: PieceRow,
  at: number,
  next: PieceRow | undefined,
  columns: readonly Column[],
  rules: readonly Rule[],
): Span | null {
  const [from, to] = extent(row.pieces[at]?.words ?? []);
  const all = (columns.at(-1)?.to ?? 0) - (columns[0]?.from ?? 0);
  const rule = rules.find(
    (candidate) =>
      candidate.at > row.first &&
      candidate.at < (next?.first ?? Infinity) &&
      candidate.from < from + 4 &&
      candidate.to > to - 4 &&
      candidate.to - candidate.from < all * 0.9,
  );
  return rule === undefined ? null : spanBetween(row, at, columns, rule.from, rule.to);
}

type Span = Pick<HeaderCell, 'column' | 'lastColumn'>;

/** The columns whose middle lies between two places; null if other pieces of the row stand there too. */
function spanBetween(
  row: PieceRow,
  at: number,
  columns: readonly Column[],
  from: number,
  to: number,
): Span | null {
  const isInside = (x: number): boolean => x > from && x < to;
  const others = row.pieces.filter((_, index) => index !== at);
  if (others.some(({ words }) => isInside((extent(words)[0] + extent(words)[1]) / 2))) return null;
  const inside = columns.flatMap((column, index) =>
    isInside((column.from + column.to) / 2) ? [index] : [],
  );
  const [first] = inside;
  return first === undefined ? null : { column: first, lastColumn: inside.at(-1) ?? first };
}

const extent = (words: readonly Word[]): readonly [number, number] => [
  Math.min(...words.map(({ box }) => box[0])),
  Math.max(...words.map(({ box }) => rightOf(box))),
];

/** The columns in whose middle a name stands, if the columns beside it have none in its row. */
function centredSpan(row: PieceRow, at: number, columns: readonly Column[]): Span | null {
  const piece = row.pieces[at];
  if (piece === undefined || piece.column === 0) return null;
  const least = (row.pieces[at - 1]?.lastColumn ?? 0) + 1;
  const most = (row.pieces[at + 1]?.column ?? columns.length) - 1;
  const [from, to] = extent(piece.words);
  const off = (first: number, last: number): number =>
    Math.abs((columns[first]?.from ?? 0) + (columns[last]?.to ?? 0) - from - to) / 2;
  let best = { column: piece.column, lastColumn: piece.lastColumn };
  const near = row.fontSize * 0.7;
  if (off(best.column, best.lastColumn) < near && piece.lastColumn === piece.column) return null;
  for (let first = least; first <= piece.column; first += 1) {
    for (let last = piece.lastColumn; last <= most; last += 1) {
      if (off(first, last) < Math.min(near * 1.5, off(best.column, best.lastColumn))) {
        best = { column: first, lastColumn: last };
      }
    }
  }
  return best;
}

function joinLines(
  pieces: readonly HeaderCell[],
  columns: readonly Column[],
  rules: readonly Rule[],
): readonly HeaderCell[] {
  const cells: HeaderCell[] = [];
  for (const piece of pieces) {
    const at = cells.findLastIndex(
      (cell) => cell.column <= piece.lastColumn && cell.lastColumn >= piece.column,
    );
    const above = cells[at];
    const fontSize = piece.words[0]?.fontSize ?? 10;
    const joins =
      above !== undefined &&
      above.column === piece.column &&
      above.lastColumn === piece.lastColumn &&
      piece.first - above.last < fontSize * 1.45 &&
      !isRuledOff(above.last, piece.first, columns[piece.column], rules);
    if (joins) cells[at] = { ...above, words: [...above.words, ...piece.words], last: piece.last };
    else cells.push(piece);
  }
  return cells;
}

const isRuledOff = (
  above: number,
  below: number,
  column: Column | undefined,
  rules: readonly Rule[],
): boolean =>
  column !== undefined &&
  rules.some(
    ({ at, from, to }) => at > above && at < below && from < column.to && to > column.from,
  );

/** Counts rows: a cell begins below the cells above it and reaches down to the cells below it. */
function levels(cells: readonly HeaderCell[]): readonly Cell[] {
  const sorted = [...cells].sort((a, b) => a.first - b.first);
  const overlap = (a: HeaderCell, b: HeaderCell): boolean =>
    a.column <= b.lastColumn && a.lastColumn >= b.column;
  const level = new Map<HeaderCell, number>();
  for (const cell of sorted) {
    const above = sorted.filter((other) => other.last < cell.first && overlap(other, cell));
    level.set(cell, Math.max(-1, ...above.map((other) => level.get(other) ?? -1)) + 1);
  }
  const count = Math.max(0, ...[...level.values()].map((value) => value + 1));
  return sorted.map((cell) => {
    const below = sorted.filter((other) => other.first > cell.last && overlap(other, cell));
    const end = Math.min(count, ...below.map((other) => level.get(other) ?? count));
    const row = level.get(cell) ?? 0;
    return {
      row,
      lastRow: Math.max(row, end - 1),
      column: cell.column,
      lastColumn: cell.lastColumn,
      words: cell.words,
    };
  });
}
