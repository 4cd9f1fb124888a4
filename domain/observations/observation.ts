import type { Strictness } from '../actions/strictness.js';
import { cellText } from './cell-text.js';
import { fitRow } from './fit-row.js';
import type { ObservationFormatName } from './observation-format-names.js';
import { observationFormats, type ObservationFormat } from './observation-format.js';
import type { TableResult } from './table-result.js';
import { countTokens, surelyWithin } from './tokens.js';
import type { Observed } from './tool-outcome.js';
import { uniqueNames } from './unique-names.js';

export interface ObservationStyle {
  /** `strict` is the reference's bytes; `tolerant` is JSON as it is meant, with long rows cut and the cut told. */
  readonly strictness: Strictness;
  readonly format: ObservationFormatName;
  readonly maxRows: number;
  /** In cl100k_base, over all rows shown. */
  readonly maxTokens: number;
}

/** The reference's limits (hybrid-agent.md §2.0). */
export const defaultObservationStyle: ObservationStyle = {
  strictness: 'tolerant',
  format: 'json',
  maxRows: 10,
  maxTokens: 5000,
};

/**
 * Rows as the model sees them, with a note under them of how many there are. There must be at least one.
 * @param render - in place of the format's own way with rows
 */
export function renderRows(
  result: TableResult,
  style: ObservationStyle,
  render: ObservationFormat['render'] = observationFormats[style.format].render,
): Observed {
  const strict = style.strictness === 'strict';
  const table = withUniqueNames(strict ? result : withFirstRowFitted(result, style.maxTokens));
  const { shown, limit } = selectRows(table, style);
  const { title } = observationFormats[style.format];
  const rows = render(table, shown, strict);
  const found = (note: string): Observed => ({
    content: `${rows}\n${note}`,
    outcome: { kind: 'found', shown, cut: limit !== null },
  });
  if (limit === null) return found(`In total, ${shown} rows are displayed in ${title} format.`);
  const reason = `based on ${limit}`;
  if (strict) {
    return found(
      `... # only display ${shown} rows in ${title} format, more are truncated due to length constraint ${reason}`,
    );
  }
  const all = table.more ? 'and there are more' : `of ${table.rows.length}`;
  return found(
    `... # ${shown} rows ${all} are displayed in ${title} format, the rest is cut ${reason}`,
  );
}

function withUniqueNames(table: TableResult): TableResult {
  const names = uniqueNames(table.columns.map(({ name }) => name));
  return {
    ...table,
    columns: table.columns.map((column, index) => ({ ...column, name: names[index] ?? '' })),
  };
}

function withFirstRowFitted(table: TableResult, maxTokens: number): TableResult {
  const [first, ...others] = table.rows;
  return first === undefined ? table : { ...table, rows: [fitRow(first, maxTokens), ...others] };
}

interface Selection {
  readonly shown: number;
  /** What the rows left out ran into; null where none were. */
  readonly limit: string | null;
}

/** The first row is shown whatever its length. */
function selectRows({ columns, rows, more }: TableResult, style: ObservationStyle): Selection {
  const byRows = `max_rows (${style.maxRows})`;
  const byTokens = `max_tokens (${style.maxTokens})`;
  const texts = rows
    .slice(0, style.maxRows)
    .map((row) =>
      columns.map(({ name }, at) => `${name}: ${cellText(row[at] ?? null)}`).join('\n'),
    );
  const isShort = surelyWithin(texts.join(''), style.maxTokens);
  let tokens = 0;
  for (const index of rows.keys()) {
    if (index >= style.maxRows) return { shown: index, limit: byRows };
    tokens += isShort ? 0 : countTokens(texts[index] ?? '');
    if (index > 0 && tokens > style.maxTokens) return { shown: index, limit: byTokens };
  }
  if (!more) return { shown: rows.length, limit: null };
  // Whoever read the rows stopped before the row limit: they were too long.
  return { shown: rows.length, limit: rows.length < style.maxRows ? byTokens : byRows };
}
