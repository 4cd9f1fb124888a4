import { floatText } from '../../formats/python/value.js';
import { modalityOf, type Collection } from '../../stores/store-manifest.js';
import type { AnyValue } from '../actions/action.js';
import { renderRows, type ObservationStyle } from './observation.js';
import { cellText } from './pandas-cell.js';
import type { ObservationFormat } from './table-formats.js';
import { failed, type Observed } from './tool-outcome.js';
import {
  searchTable,
  type SearchArguments,
  type HitField,
  type SearchHit,
} from './vector-search.js';

/**
 * Search hits as text, one block per hit, because a table would be as wide as the longest passage. The reference system
 * leaves out the passage itself, and so does strict mode.
 */
const searchString =
  (metric: Metric): ObservationFormat['render'] =>
  ({ columns, rows }, shown, strict) => {
    const blocks = rows.slice(0, shown).map((row) => {
      const [score, ...cells] = columns.map(({ name }, index) => ({
        name,
        cell: row[index] ?? null,
      }));
      const lines = cells
        .filter(({ name }) => name !== 'text' || !strict)
        .map(({ name, cell }) => `    ${name}: ${cellText(cell)}\n`);
      return `Score: ${floatText(Number(score?.cell))}\n${lines.join('')}\n`;
    });
    return `The retrieved results are sorted from the most to least relevant based on metric type ${metric}:\n${blocks.join('')}`;
  };

// These messages have the wording of the reference system, so that results can be compared.

/** That of a collection, or relative score fusion. */
export type Metric = Collection['metric'] | 'RSF';

export interface SearchFindings {
  readonly query: string;
  readonly metric: Metric;
  /** The fields to show besides score and text. */
  readonly fields: readonly HitField[];
  /** Best first. */
  readonly hits: readonly SearchHit[];
  /** By primary key; null for pictures, which have none. */
  readonly texts: ReadonlyMap<string, string> | null;
}

/** A hit without text fails the whole search in strict mode, as in the reference system; otherwise it is left out. */
export function searchObservation(
  { query, metric, fields, hits, texts }: SearchFindings,
  style: ObservationStyle,
): Observed {
  const strict = style.strictness === 'strict';
  const whole = hits.filter(({ primaryKey }) => texts?.has(primaryKey) ?? true);
  if (hits.length === 0 || (whole.length === 0 && !strict)) {
    const content = `[Warning]: No relevant context records found for the input query: ${query}.`;
    return { content, outcome: { kind: 'empty' } };
  }
  if (strict && whole.length < hits.length) {
    return searchErrorObservation('text-missing', "'NoneType' object is not subscriptable");
  }
  const table = searchTable(whole, texts, fields);
  const { content, outcome } =
    style.format === 'string'
      ? renderRows(table, style, searchString(metric))
      : renderRows(table, style);
  if (outcome.kind !== 'found' || !fields.includes('pdf_id')) return { content, outcome };
  const papers = whole.slice(0, outcome.shown).map(({ pdfId }) => pdfId);
  return { content, outcome: { ...outcome, papers } };
}

export const searchErrorObservation = (failure: string, message: string): Observed =>
  failed(failure, `[Error]: When searching the vectorstore for context: ${message}`);

/**
 * The vector search of a ClassicRetrieve action. It searches passages in the first dense collection, or by BM25 when the
 * store has none; the reference system always uses one fixed collection.
 * @param scope - a Milvus filter; empty for none
 */
export function classicSearch(
  { query, limit }: { readonly query: string; readonly limit: AnyValue },
  collections: readonly Collection[],
  scope: string,
): SearchArguments {
  const [first] = collections;
  const chosen =
    collections.find(
      ({ name, vector }) => vector.kind === 'dense' && modalityOf(name) === 'text',
    ) ?? first;
  if (!chosen) throw new RangeError('the store has no collection to search');
  return {
    query,
    limit,
    collection_name: chosen.name,
    table_name: 'chunks',
    column_name: 'text_content',
    filter: scope,
  };
}
