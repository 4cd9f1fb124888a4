import { counted } from '../../formats/text.js';
import { countTokens, mostTokens, truncateTokens } from '../../models/tokens.js';
import type { Strictness } from '../actions/action.js';
import { cellText } from './pandas-cell.js';
import {
  observationFormats,
  type ObservationFormat,
  type ObservationFormatName,
} from './table-formats.js';
import type { Cell, TableResult } from './table-result.js';
import type { Observed } from './tool-outcome.js';

export interface ObservationStyle {
  /** `strict` renders as the reference system does. `tolerant` renders plain JSON, cuts long rows and says so. */
  readonly strictness: Strictness;
  readonly format: ObservationFormatName;
  readonly maxRows: number;
  /** Of all rows shown together, counted in cl100k_base. */
  readonly maxTokens: number;
}

/** The limits are those of the reference system. */
export const defaultObservationStyle: ObservationStyle = {
  strictness: 'tolerant',
  format: 'json',
  maxRows: 10,
  maxTokens: 5000,
};

/**
 * The observation of a table: its rows, and a note that says how many are shown. `result` needs at least one row.
 * @param render - replaces the format's rendering of rows
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
  const are = `${shown === 1 ? 'is' : 'are'} displayed in ${title} format`;
  if (strict) {
    return found(
      limit === null
        ? `In total, ${shown} rows are displayed in ${title} format.`
        : `... # only display ${shown} rows in ${title} format, more are truncated due to length constraint based on ${limit}`,
    );
  }
  if (limit === null) return found(`In total, ${counted(shown, 'row')} ${are}.`);
  const total = counted(table.rows.length, 'row');
  return found(
    `... # ${shown} of ${table.more ? 'more than ' : ''}${total} ${are}, the rest is cut based on ${limit}`,
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
  /** The limit that cut the rows; null when all are shown. */
  readonly limit: string | null;
}

/** The first row is always shown. */
function selectRows({ columns, rows, more }: TableResult, style: ObservationStyle): Selection {
  const byRows = `max_rows (${style.maxRows})`;
  const byTokens = `max_tokens (${style.maxTokens})`;
  const texts = rows
    .slice(0, style.maxRows)
    .map((row) =>
      columns.map(({ name }, at) => `${name}: ${cellText(row[at] ?? null)}`).join('\n'),
    );
  let tokens = 0;
  let mostOfRest = texts.reduce((sum, text) => sum + mostTokens(text), 0);
  for (const index of rows.keys()) {
    if (index >= style.maxRows) return { shown: index, limit: byRows };
    // Counting takes long: only until the rest surely fits.
    if (tokens + mostOfRest <= style.maxTokens) continue;
    const text = texts[index] ?? '';
    mostOfRest -= mostTokens(text);
    tokens += countTokens(text);
    if (index > 0 && tokens > style.maxTokens) return { shown: index, limit: byTokens };
  }
  if (!more) return { shown: rows.length, limit: null };
  // The query stopped before the row limit because the rows were too long.
  return { shown: rows.length, limit: rows.length < style.maxRows ? byTokens : byRows };
}

/** Unique column names, made as DuckDB does; case is ignored: `a`, `A_1`, `a_2`. */
function uniqueNames(names: readonly string[]): readonly string[] {
  const used = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 1; used.has(unique.toLowerCase()); count++) unique = `${name}_${count}`;
    used.add(unique.toLowerCase());
    return unique;
  });
}

/** Cuts the longest cells of a row, each with a note, so that the row has about `maxTokens`. */
function fitRow(row: readonly Cell[], maxTokens: number): readonly Cell[] {
  if (mostTokens(row.map(cellText).join('')) <= maxTokens) return row;
  const sizes = row.map((cell) => countTokens(cellText(cell)));
  const share = fairShare(sizes, maxTokens);
  return row.map((cell, index) => {
    const size = sizes[index] ?? 0;
    if (size <= share) return cell;
    return `${truncateTokens(cellText(cell), share)}… [cut: ${share} of ${size} tokens shown]`;
  });
}

/** The limit per cell (max-min fair): small cells are kept whole, and the large ones share the rest equally. */
function fairShare(sizes: readonly number[], total: number): number {
  let available = total;
  let cells = sizes.length;
  for (const size of sizes.toSorted((a, b) => a - b)) {
    if (size * cells > available) return Math.max(1, Math.floor(available / cells));
    available -= size;
    cells -= 1;
  }
  return Infinity;
}
