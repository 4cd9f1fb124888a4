import type { AnyValue } from '../actions/any-value.js';
import type { Collection } from '../stores/store-manifest.js';
import type { AskedSearch } from './vector-search.js';

/**
 * ClassicRetrieve as the search it stands for: the passages by their dense vectors, and by BM25 in a store without any
 * (hybrid-agent.md §2.4, where the collection is fixed to one embedder). `scope` is our own filter; empty for none.
 */
export function classicSearch(
  { query, limit }: { readonly query: string; readonly limit: AnyValue },
  collections: readonly Collection[],
  scope: string,
): AskedSearch {
  const [first] = collections;
  const chosen = collections.find(({ vector }) => vector.kind === 'dense') ?? first;
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
