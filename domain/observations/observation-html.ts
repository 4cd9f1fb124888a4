import { strip } from '../python/text.js';
import { cellText } from './cell-text.js';
import type { ObservationFormat } from './observation-format.js';
import { displayedCells } from './pandas-display.js';
import { pandasFrame } from './pandas-frame.js';
import type { TableResult } from './table-result.js';

/** An HTML table in the layout of pandas' `to_html`. */
export const observationHtml: ObservationFormat = {
  title: 'HTML',
  render: (table, shown, strict) =>
    htmlTable(strict ? pandasTexts(table, shown) : plainTexts(table, shown)),
};

interface TextColumn {
  readonly name: string;
  readonly cells: readonly string[];
}

const pandasTexts = (table: TableResult, shown: number): readonly TextColumn[] =>
  pandasFrame(table, shown).map((column) => ({
    name: column.name,
    cells: displayedCells(column),
  }));

const plainTexts = ({ columns, rows }: TableResult, shown: number): readonly TextColumn[] =>
  columns.map(({ name }, index) => ({
    name,
    cells: rows.slice(0, shown).map((row) => cellText(row[index] ?? null)),
  }));

function htmlTable(columns: readonly TextColumn[]): string {
  const lines = columns[0]?.cells ?? [];
  const cell = (tag: 'th' | 'td', text: string): string =>
    `      <${tag}>${escaped(text)}</${tag}>`;
  return [
    '<table border="1" class="dataframe">',
    '  <thead>',
    '    <tr style="text-align: right;">',
    ...columns.map(({ name }) => cell('th', name)),
    '    </tr>',
    '  </thead>',
    '  <tbody>',
    ...lines.flatMap((_, row) => [
      '    <tr>',
      ...columns.map(({ cells }) => cell('td', cells[row] ?? '')),
      '    </tr>',
    ]),
    '  </tbody>',
    '</table>',
  ].join('\n');
}

const escaped = (text: string): string =>
  strip(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
