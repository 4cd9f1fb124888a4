import type { Collection } from '../stores/store-manifest.js';

/**
 * What ClassicRetrieve searches: the passages of all papers, by their dense vectors, and by BM25 in a store
 * without any (hybrid-agent.md §2.4, where the collection is fixed to one embedder).
 */
export function classicRetrieval(collections: readonly Collection[]): {
  readonly collection: string;
  readonly tableName: string;
  readonly columnName: string;
  readonly filter: string;
} {
  const [first] = collections;
  const chosen = collections.find(({ vector }) => vector.kind === 'dense') ?? first;
  if (!chosen) throw new RangeError('the store has no collection to search');
  const [tableName, columnName] = ['chunks', 'text_content'];
  return {
    collection: chosen.name,
    tableName,
    columnName,
    filter: `table_name == '${tableName}' and column_name == '${columnName}'`,
  };
}
