import { rightOf } from '../page-content.js';
import {
  columnsOf,
  wideGap,
  isNumeric,
  median,
  rowsOf,
  type Column,
  type Word,
  type Row,
} from './columns.js';
import { compact, coverage, type Cell, type Grid, type Rule, type Rules } from './grid.js';

/**
 * The cells of a table whose columns only the places of its words show.
 * @param rules - those inside the table
 * @returns null if the words stand in one column
 */
export function textGrid(words: readonly Word[], rules: Rules, space: number): Grid | null {
  const { level } = rules;
  const rows = rowsOf(words);
  const columns = columnsOf(rows, space);
  if (columns.length < 2) return null;
  const pieced = rows.map((row) => ({ ...row, pieces: piecesOf(row, columns, space) }));
  const start = headerEnd(pieced, columns, level);
  const header = headerCells(pieced.slice(0, start), columns, rules, pieced[start]);
  const headerRows = header.reduce((count, { lastRow }) => Math.max(count, lastRow + 1), 0);
  const body = joinWrapped(pieced.slice(start), level);
  const cells = body.flatMap((pieces, index) =>
    pieces.map((piece): Cell => ({
      ...piece,
      row: headerRows + index,
      lastRow: headerRows + index,
    })),
  );
  return compact({ cells: [...header, ...cells], headerRows });
}

/** So many rows above a rule that name all columns are no names of columns. */
const fewestBodyRows = 3;

/** The number of rows with names of columns. */
function headerEnd(
  rows: readonly PieceRow[],
  columns: readonly Column[],
  rules: readonly Rule[],
): number {
  const from = columns[0]?.from ?? 0;
  const to = columns.at(-1)?.to ?? 0;
  const most = Math.max(2, Math.min(8, rows.length / 2));
  for (let index = 1; index <= most && index < rows.length; index += 1) {
    const [above, below] = [rows[index - 1], rows[index]];
    const between = rules.filter(({ at }) => at > (above?.last ?? 0) && at < (below?.first ?? 0));
    if (!between.some(({ at }) => coverage(rules, at, from, to) > 0.8)) continue;
    const full = rows.slice(0, index).filter(({ pieces }) => pieces.length === columns.length);
    return full.length < fewestBodyRows ? index : 0;
  }
  const numeric = rows.map(({ pieces }) => shareOfNumbers(pieces));
  const isHead = (share: number): boolean => share < 0.3;
  if (median(numeric) > 0.5) {
    const first = numeric.findIndex((share) => !isHead(share));
    return first > 0 && first <= most ? first : 0;
  }
  const bold = rows.map(({ words }) => words.every((word) => word.bold));
  return bold[0] === true && bold.some((value) => !value) ? 1 : 0;
}

function shareOfNumbers(pieces: readonly Piece[]): number {
  const values = pieces.filter(({ column }) => column > 0);
  const numbers = values.filter(({ words }) => words.some(({ text }) => isNumeric(text)));
  return values.length === 0 ? 0 : numbers.length / values.length;
}

/** The rows of the body; a row may hold several lines of text. */
function joinWrapped(
  rows: readonly PieceRow[],
  rules: readonly Rule[],
): readonly (readonly Piece[])[] {
  const joined: PieceRow[] = [];
  const steps = rows.slice(1).map((row, index) => row.first - (rows[index]?.last ?? 0));
  const usual = steps.length === 0 ? 0 : median(steps);
  for (const [index, row] of rows.entries()) {
    const above = joined.at(-1);
    const next = rows[index + 1];
    if (above === undefined || !goesOn(above, row, next, usual, rules)) joined.push(row);
    else joined[joined.length - 1] = joinRows(above, row);
  }
  return joined.map(({ pieces }) => pieces);
}

function goesOn(
  above: PieceRow,
  row: PieceRow,
  next: PieceRow | undefined,
  usual: number,
  rules: readonly Rule[],
): boolean {
  const step = row.first - above.last;
  if (rules.some(({ at, from, to }) => at > above.last && at < row.first && crosses(row, from, to)))
    return false;
  if (step > row.fontSize * 1.4 || step > usual * 1.1) return false;
  if (row.pieces.some((piece) => collides(piece, above))) return false;
  const [name, ...values] = row.pieces;
  const [nameAbove, ...valuesAbove] = above.pieces;
  if (name === undefined || nameAbove === undefined) return false;
  if (name.column > 0) {
    return row.pieces.every((piece) => above.pieces.some(({ column }) => column === piece.column));
  }
  if (nameAbove.column > 0) return false;
  const lowerCase = /^[\p{Ll}(]/u.test(name.words[0]?.text ?? '');
  if (values.length === 0 && valuesAbove.length > 0) {
    const indent = (name.words[0]?.box[0] ?? 0) - (nameAbove.words[0]?.box[0] ?? 0);
    const nextName = next?.pieces[0];
    const nextIndent = (nextName?.words[0]?.box[0] ?? 0) - (name.words[0]?.box[0] ?? 0);
    const heads = nextName?.column === 0 && nextIndent > -0.3 * row.fontSize;
    return lowerCase || (indent > 0.4 * row.fontSize && !heads);
  }
  return lowerCase && (valuesAbove.length === 0 || step < usual * 0.9);
}

const crosses = (row: PieceRow, from: number, to: number): boolean =>
  row.words.some(({ box }) => box[0] < to && rightOf(box) > from);

/** Two numbers below each other belong to two rows. */
const collides = (piece: Piece, above: PieceRow): boolean =>
  piece.column > 0 &&
  isNumeric(piece.words[0]?.text ?? '') &&
  above.pieces.some(
    ({ column, words }) => column === piece.column && isNumeric(words.at(-1)?.text ?? ''),
  );

function joinRows(above: PieceRow, row: PieceRow): PieceRow {
  const pieces = [...above.pieces];
  for (const piece of row.pieces) {
    const at = pieces.findIndex(({ column }) => column === piece.column);
    const other = pieces[at];
    if (other === undefined) pieces.push(piece);
    else {
      const lastColumn = Math.max(other.lastColumn, piece.lastColumn);
      pieces[at] = { ...other, lastColumn, words: [...other.words, ...piece.words] };
    }
  }
  return {
    words: [...above.words, ...row.words],
    first: above.first,
    last: row.last,
    fontSize: Math.max(above.fontSize, row.fontSize),
    pieces: pieces.sort((a, b) => a.column - b.column),
  };
}

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
function headerCells(
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

/** Words of a row that stand in one column, or in several ones without a wide gap. */
interface Piece {
  readonly words: readonly Word[];
  readonly column: number;
  readonly lastColumn: number;
}
/** A row with its pieces from left to right. */
interface PieceRow extends Row {
  readonly pieces: readonly Piece[];
}

/** The words of a row by column. */
function piecesOf(row: Row, columns: readonly Column[], space: number): readonly Piece[] {
  const pieces: { words: Word[]; column: number; lastColumn: number }[] = [];
  for (const word of row.words) {
    const column = nearestColumn(word, columns);
    const piece = pieces.at(-1);
    const last = piece?.words.at(-1);
    if (piece !== undefined && last !== undefined) {
      const gap = (word.box[0] - rightOf(last.box)) / word.fontSize;
      const numbers = isNumeric(last.text) && isNumeric(word.text);
      const flows = gap < wideGap(space) && !numbers;
      if (column === piece.lastColumn || flows) {
        piece.words.push(word);
        piece.lastColumn = Math.max(piece.lastColumn, column);
        continue;
      }
    }
    pieces.push({ words: [word], column, lastColumn: column });
  }
  return pieces;
}

function nearestColumn({ box: [x, , width] }: Word, columns: readonly Column[]): number {
  const distances = columns.map(({ from, to }) => Math.max(from - x - width, x - to));
  return distances.indexOf(Math.min(...distances));
}
