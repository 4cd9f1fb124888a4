import { cellText } from './cell-text.js';
import type { ObservationFormat } from './observation-format.js';
import { displayedCells } from './pandas-display.js';
import { pandasFrame } from './pandas-frame.js';
import { oneLine } from './pandas-nested.js';
import type { TableResult } from './table-result.js';

/** Columns of a fixed width, a row a line, so that line ends inside a text are written as escapes. */
export const observationString: ObservationFormat = {
  title: 'STRING',
  render: (table, shown, strict) => (strict ? pandasColumns : plainColumns)(table, shown),
};

/** pandas' `to_string`: everything to the right, names of numbers one character wider than they are. */
function pandasColumns(table: TableResult, shown: number): string {
  return sideBySide(
    pandasFrame(table, shown).map((column) => {
      const number = ['int', 'float', 'bool'].includes(column.kind);
      const cells = [`${number ? ' ' : ''}${oneLine(column.name)}`, ...displayedCells(column)];
      const size = Math.max(...cells.map(width));
      return cells.map((cell) => ' '.repeat(size - width(cell)) + cell);
    }),
    ' ',
  );
}

function plainColumns({ columns, rows }: TableResult, shown: number): string {
  return sideBySide(
    columns.map(({ name }, index) => {
      const texts = rows.slice(0, shown).map((row) => cellText(row[index] ?? null));
      const cells = [name, ...texts].map(oneLine);
      const size = index + 1 === columns.length ? 0 : Math.max(...cells.map(width));
      return cells.map((cell) => cell + ' '.repeat(Math.max(0, size - width(cell))));
    }),
    '  ',
  );
}

function sideBySide(columns: readonly (readonly string[])[], gap: string): string {
  const [first = []] = columns;
  return first.map((_, row) => columns.map((cells) => cells[row] ?? '').join(gap)).join('\n');
}

const width = (text: string): number => Array.from(text).length;
