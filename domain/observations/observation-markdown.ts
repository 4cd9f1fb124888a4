import { floatText } from '../python/text.js';
import { cellText } from './cell-text.js';
import type { ObservationFormat } from './observation-format.js';
import { instantPrecision, instantText } from './pandas-instant.js';
import { missingObject, pandasFrame, type PandasColumn } from './pandas-frame.js';
import { pythonText } from './python-cell.js';
import { prettyTable } from './tabulate-pretty.js';
import type { Cell } from './table-result.js';

/** A table with a border in the reference's bytes, else one that Markdown knows. */
export const observationMarkdown: ObservationFormat = {
  title: 'MARKDOWN',
  render: (table, shown, strict) =>
    strict ? bordered(pandasFrame(table, shown)) : piped(table.columns, table.rows.slice(0, shown)),
};

function piped(
  columns: readonly { readonly name: string }[],
  rows: readonly (readonly Cell[])[],
): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(inCell).join(' | ')} |`;
  return [
    line(columns.map(({ name }) => name)),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(columns.map((_, index) => cellText(row[index] ?? null)))),
  ].join('\n');
}

const inCell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll(/\r\n|[\r\n]/g, '<br>');

function bordered(columns: readonly PandasColumn[]): string {
  const instant = instantWriter(columns);
  const texts = columns.map((column) =>
    column.cells.map((cell) => tabulated(cell, column, instant)),
  );
  const rows = (columns[0]?.cells ?? []).map((_, row) => texts.map((cells) => cells[row] ?? ''));
  return prettyTable(
    columns.map(({ name }) => name),
    rows,
  );
}

/** numpy's own texts of times take the place of pandas' in a table that holds nothing else. */
function instantWriter(columns: readonly PandasColumn[]): (iso: string) => string {
  if (columns.some(({ kind }) => kind !== 'instant')) {
    return (iso) => instantText(iso, ' ', [0, 6, 6, 9][instantPrecision(iso) / 3] ?? 0);
  }
  const digits = columns.some(({ type }) => type === 'TIMESTAMP_NS') ? 9 : 6;
  return (iso) => instantText(iso, 'T', digits);
}

function tabulated(
  cell: Cell,
  { type, kind }: PandasColumn,
  instant: (iso: string) => string,
): string {
  switch (kind) {
    case 'int':
    case 'bool':
      return pythonText(cell, type);
    case 'float':
      return floatText(cell === null ? NaN : Number(cell));
    case 'instant':
      return typeof cell === 'string' ? instant(cell) : 'NaT';
    case 'object':
      if (cell !== null) return pythonText(cell, type);
      return missingObject(type) === 'None' ? '' : missingObject(type);
  }
}
