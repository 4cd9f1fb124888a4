import { renderRows, type ObservationStyle } from './observation.js';
import type { SearchHit } from './search-hit.js';
import { searchTable } from './search-table.js';
import type { TableResult } from './table-result.js';

// The wording of these messages is the reference's (hybrid-agent.md §2.2 to §2.4): models were studied with it.

export const sqlObservation = (result: TableResult, style: ObservationStyle): string =>
  result.rows.length === 0
    ? '[Warning]: The SQL execution result is empty, please check the SQL first.'
    : renderRows(result, style);

export const sqlErrorObservation = (message: string): string =>
  `[Error]: Runtime error during SQL execution and output formatting: ${message}`;

export const sqlTimeoutObservation = (timeoutMs: number): string =>
  `[TimeoutError]: The SQL execution is TIMEOUT given maximum ${timeoutMs / 1000} seconds.`;

export interface SearchFindings {
  readonly query: string;
  /** Best first. */
  readonly hits: readonly SearchHit[];
  /** By primary key. */
  readonly texts: ReadonlyMap<string, string>;
}

/** One hit without its text fails the whole search where `strict`, as in the reference. */
export function searchObservation(
  { query, hits, texts }: SearchFindings,
  style: ObservationStyle,
): string {
  if (hits.length === 0) {
    return `[Warning]: No relevant context records found for the input query: ${query}.`;
  }
  if (style.strictness === 'strict' && hits.some(({ primaryKey }) => !texts.has(primaryKey))) {
    return searchErrorObservation("'NoneType' object is not subscriptable");
  }
  return renderRows(searchTable(hits, texts), style);
}

export const searchErrorObservation = (message: string): string =>
  `[Error]: When searching the vectorstore for context: ${message}`;

export const searchTimeoutObservation = (timeoutMs: number): string =>
  `[TimeoutError]: Searching vectorstore for context is TIMEOUT given maximum ${timeoutMs / 1000} seconds.`;
