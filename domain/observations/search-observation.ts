import type { Collection } from '../stores/store-manifest.js';
import { renderRows, type ObservationStyle } from './observation.js';
import type { SearchHit } from './search-hit.js';
import { searchString } from './search-string.js';
import { searchTable, type HitField } from './search-table.js';
import { failed, type Observed } from './tool-outcome.js';

// The wording of these messages is the reference's (hybrid-agent.md §2.3): models were studied with it.

export interface SearchFindings {
  readonly query: string;
  readonly metric: Collection['metric'];
  /** Shown beside score and text. */
  readonly fields: readonly HitField[];
  /** Best first. */
  readonly hits: readonly SearchHit[];
  /** By primary key. */
  readonly texts: ReadonlyMap<string, string>;
}

/** A hit without its text fails the whole search where `strict`, as in the reference, and is left out otherwise. */
export function searchObservation(
  { query, metric, fields, hits, texts }: SearchFindings,
  style: ObservationStyle,
): Observed {
  const strict = style.strictness === 'strict';
  const whole = hits.filter(({ primaryKey }) => texts.has(primaryKey));
  if (hits.length === 0 || (whole.length === 0 && !strict)) {
    const content = `[Warning]: No relevant context records found for the input query: ${query}.`;
    return { content, outcome: { kind: 'empty' } };
  }
  if (strict && whole.length < hits.length) {
    return searchErrorObservation('text-missing', "'NoneType' object is not subscriptable");
  }
  const table = searchTable(whole, texts, fields);
  return style.format === 'string'
    ? renderRows(table, style, searchString(metric))
    : renderRows(table, style);
}

export const searchErrorObservation = (failure: string, message: string): Observed =>
  failed(failure, `[Error]: When searching the vectorstore for context: ${message}`);

export const searchTimeoutObservation = (timeoutMs: number): Observed =>
  failed(
    'timeout',
    `[TimeoutError]: Searching vectorstore for context is TIMEOUT given maximum ${timeoutMs / 1000} seconds.`,
  );
