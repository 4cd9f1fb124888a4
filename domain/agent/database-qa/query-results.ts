import { countTokens, mostTokens, truncateTokens } from '../../models/tokens.js';
import type { Cell, TableResult, ToolOutcome } from '../observations/tool-outcome.js';
import type { QueryStatus, TracedQuery } from './answer-trace.js';
import type { ShownLimits } from './prompts.js';

export type QueryResult = Pick<
  TracedQuery,
  'status' | 'rows' | 'moreRows' | 'shownRows' | 'error' | 'shown'
>;

/** The result of a query that ran. */
export function resultOfRows(
  { columns, rows, more }: TableResult,
  limits: ShownLimits,
): QueryResult {
  const header = csvLine(columns.map(({ name }) => name));
  const lines = withinTokens(rows.slice(0, limits.rows).map(csvLine), header, limits.tokens);
  const total = `${more ? 'more than ' : ''}${rows.length} rows`;
  const note = rows.length > lines.length ? [`(${lines.length} of ${total} shown)`] : [];
  const first = rows.length > 0 && lines.length === 0 ? [cutRow(rows[0] ?? [], limits)] : [];
  return {
    status: rows.length === 0 ? 'empty' : 'rows',
    rows: rows.length,
    moreRows: more,
    shownRows: lines.length,
    error: null,
    shown: [header, ...lines, ...first, ...(rows.length === 0 ? ['(0 rows)'] : note)].join('\n'),
  };
}

/** The first lines that fit beside the header. */
function withinTokens(lines: readonly string[], header: string, tokens: number): readonly string[] {
  if (mostTokens([header, ...lines].join('\n')) <= tokens) return lines;
  let room = tokens - countTokens(header);
  const over = lines.findIndex((line) => {
    room -= countTokens(`\n${line}`);
    return room < 0;
  });
  return over === -1 ? lines : lines.slice(0, over);
}

/** The beginning of a first row that is too long by itself. */
const cutRow = (row: readonly Cell[], { tokens }: ShownLimits): string =>
  `${truncateTokens(csvLine(row), tokens)}… (the row is cut)`;

/** The result of a query without rows: it failed, took too long, or was not run. */
export const resultOfFailure = (
  status: Exclude<QueryStatus, 'rows' | 'empty'>,
  error: string,
): QueryResult => ({
  status,
  rows: 0,
  moreRows: false,
  shownRows: 0,
  error,
  shown: `Error: ${error}`,
});

/** A line of CSV: NULL is empty and unquoted, the empty text is quoted. */
export const csvLine = (cells: readonly Cell[]): string => cells.map(csvCell).join(',');

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  const text = typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
  return text === '' || /[",\n\r]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What run statistics count of a step: its first failure, else an empty result, else the rows that were shown. */
export function outcomeOfQueries(queries: readonly TracedQuery[]): ToolOutcome {
  const failed = queries.find(({ error }) => error !== null);
  if (failed) return { kind: 'failed', class: failed.status };
  const shown = queries.reduce((total, { shownRows }) => total + shownRows, 0);
  if (shown === 0) return { kind: 'empty' };
  return { kind: 'found', shown, cut: queries.some(({ rows, shownRows }) => shownRows < rows) };
}

/** The queries of a question with their results, as prompts and trajectories show them. */
export const renderQueries = (queries: readonly TracedQuery[]): string =>
  queries.length === 0
    ? '(no query was written)'
    : queries
        .map(
          ({ sql, shown, repairOf }, index) =>
            `Query ${index + 1}${repairOf === null ? '' : ` (repairs query ${repairOf + 1})`}:\n${sql}\nResult:\n${shown}`,
        )
        .join('\n\n');
