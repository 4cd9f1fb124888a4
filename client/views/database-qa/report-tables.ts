import type { DatabaseTables } from '../../../domain/runs/database-qa/database-tables.js';
import { roundTo } from '../../../domain/statistics/rounding.js';
import type { DatabaseReport } from '../../runs/database-report.js';
import { agentsTable, datasetTable, pairsTable } from './agent-tables.js';
import { panelsTable, panelWorthTable } from './panel-tables.js';
import published from './published-values.json' with { type: 'json' };
import type { Cell, ReportTable } from './report-table.js';

/** Tables 1 to 4, each with the published values, and our own tables beside them. Tables without rows of ours are left out. */
export const reportTables = (tables: DatabaseTables): readonly ReportTable[] =>
  [
    ...(tables.table1 ? [datasetTable(tables.table1)] : []),
    agentsTable(tables.table2),
    pairsTable(tables.table3, {
      id: 'table-3',
      title: 'Table 3: with and without interaction',
      source: published.table3,
    }),
    pairsTable(tables.modes, { id: 'modes', title: 'Modes against each other' }),
    panelsTable(tables.table4),
    panelWorthTable(tables.panelWorth, tables.table4),
  ].filter(({ parts }) => parts.some((part) => part.source === null && part.rows.length > 0));

/** What every table says of its values. */
export const publishedNote = `Published values are those of ${published.paper}. Nothing of ours is among them.`;

/** As many decimal places as JSON has. */
const decimals = 4;

/** All tables and figures as JSON: `table1` to `table4`, `figure3` to `figure5`, and what stands beside them. */
export const tablesJson = ({ tables, notes }: Pick<DatabaseReport, 'tables' | 'notes'>): string =>
  JSON.stringify(
    { ...tables, notes, published },
    (_, value: unknown) => (typeof value === 'number' ? roundTo(value, decimals) : value),
    1,
  );

/** The tables as Markdown, each with its notes. */
export const markdownReport = ({
  tables,
  notes,
}: Pick<DatabaseReport, 'tables' | 'notes'>): string =>
  [...notes.map(escapeCell), ...reportTables(tables).map(markdownTable), publishedNote].join(
    '\n\n',
  );

function markdownTable({ title, notes, heads, names, parts }: ReportTable): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `## ${title}`,
    '',
    line(heads.map(escapeCell)),
    line(heads.map((_, at) => (at < names ? '---' : '---:'))),
    ...parts.flatMap(({ source, rows }) => [
      ...(source === null || rows.length === 0
        ? []
        : [line(heads.map((_, at) => (at === 0 ? `*${source}*` : '')))]),
      ...rows.map((row) => line(row.map(cellText))),
    ]),
    '',
    ...notes.map((note) => `- ${escapeCell(note)}`),
  ].join('\n');
}

const cellText = (cell: Cell): string =>
  typeof cell === 'string'
    ? escapeCell(cell)
    : escapeCell(cell.under === '' ? cell.text : `${cell.text} (${cell.under})`);

/** Names of models and runs are other people's text. */
const escapeCell = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[|\\`*_<>[\]]/g, '\\$&');
