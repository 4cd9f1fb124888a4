import { tableHtml, type TableCell } from './table-html.js';
import { textOf, type Word } from './words.js';

export interface Cell extends TableCell {
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

/** A table with the rows of its next part below it, without those that repeat its first ones. */
export function appended(above: Grid, below: Grid): Grid {
  const textAt = ({ cells }: Grid, at: number): string =>
    textOf(cells.filter(({ row }) => row === at).flatMap(({ words }) => words));
  let repeated = 0;
  while (repeated < above.headerRows && textAt(below, repeated) === textAt(above, repeated)) {
    repeated += 1;
  }
  const shift = rowCount(above) - repeated;
  const cells = below.cells
    .filter(({ row }) => row >= repeated)
    .map((cell) => ({ ...cell, row: cell.row + shift, lastRow: cell.lastRow + shift }));
  return { ...above, cells: [...above.cells, ...cells] };
}

/** See `tableHtml`. */
export const toHtml = ({ cells, headerRows }: Grid): string =>
  tableHtml(
    cells.map(({ words, ...place }) => ({
      ...place,
      text: textOf(words),
      isHeader: place.row < headerRows,
    })),
  );
