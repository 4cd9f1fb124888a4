import { textOf, type Word } from './words.js';

/** A cell of a table. Rows and columns are counted from 0, the last ones included. */
export interface Cell {
  readonly row: number;
  readonly lastRow: number;
  readonly column: number;
  readonly lastColumn: number;
  readonly words: readonly Word[];
}

export interface Grid {
  readonly cells: readonly Cell[];
  /** The first rows hold names of columns. */
  readonly headerRows: number;
}

/** Without empty cells, and without the rows and columns that hold none but empty cells. */
export function compact({ cells, headerRows }: Grid): Grid {
  const filled = cells.filter(({ words }) => words.length > 0);
  const rows = numbering(filled.map(({ row }) => row));
  const columns = numbering(filled.map(({ column }) => column));
  return {
    cells: filled.map((cell) => ({
      ...cell,
      row: rows(cell.row),
      lastRow: Math.max(rows(cell.row), rows(cell.lastRow + 1) - 1),
      column: columns(cell.column),
      lastColumn: Math.max(columns(cell.column), columns(cell.lastColumn + 1) - 1),
    })),
    headerRows: rows(headerRows),
  };
}

/** The number of starts before a position. */
function numbering(starts: readonly number[]): (position: number) => number {
  const sorted = [...new Set(starts)].sort((a, b) => a - b);
  return (position) => {
    const at = sorted.findIndex((start) => start >= position);
    return at === -1 ? sorted.length : at;
  };
}

export const rowCount = ({ cells }: Grid): number =>
  cells.reduce((count, { lastRow }) => Math.max(count, lastRow + 1), 0);
export const columnCount = ({ cells }: Grid): number =>
  cells.reduce((count, { lastColumn }) => Math.max(count, lastColumn + 1), 0);

/** The number of places in cells with words. */
export const filledPlaces = (cells: readonly Cell[]): number =>
  cells
    .filter(({ words }) => words.length > 0)
    .map(({ row, lastRow, column, lastColumn }) => (lastRow - row + 1) * (lastColumn - column + 1))
    .reduce((sum, places) => sum + places, 0);

/** `<table>` with `<tr>`, `<th>` and `<td>`; places without a cell are empty `<td>`. */
export function toHtml(grid: Grid): string {
  const columns = columnCount(grid);
  const taken = new Set<string>();
  const starts = new Map<string, Cell>();
  for (const cell of grid.cells) {
    starts.set(`${cell.row} ${cell.column}`, cell);
    for (let row = cell.row; row <= cell.lastRow; row += 1) {
      for (let column = cell.column; column <= cell.lastColumn; column += 1) {
        taken.add(`${row} ${column}`);
      }
    }
  }
  const rows = Array.from({ length: rowCount(grid) }, (_, row) => {
    const parts = Array.from({ length: columns }, (__, column) => {
      const cell = starts.get(`${row} ${column}`);
      if (cell !== undefined) return cellHtml(cell, row < grid.headerRows ? 'th' : 'td');
      return taken.has(`${row} ${column}`) ? '' : '<td></td>';
    });
    return `<tr>${parts.join('')}</tr>`;
  });
  return `<table>${rows.join('')}</table>`;
}

function cellHtml({ row, lastRow, column, lastColumn, words }: Cell, tag: 'th' | 'td'): string {
  const span = (name: string, count: number): string => (count > 1 ? ` ${name}="${count}"` : '');
  const spans = span('rowspan', lastRow - row + 1) + span('colspan', lastColumn - column + 1);
  return `<${tag}${spans}>${escapeHtml(textOf(words))}</${tag}>`;
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
