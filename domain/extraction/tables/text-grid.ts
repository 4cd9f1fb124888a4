import { rightOf } from '../boxes.js';
import { columnsOf, type Column } from './columns.js';
import { compact, type Cell, type Grid } from './grid.js';
import { headerCells } from './header.js';
import { piecesOf, type Piece, type PieceRow } from './pieces.js';
import { coverage, type Rule, type Rules } from './rules.js';
import { isNumeric, median, rowsOf, type Word } from './words.js';

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
