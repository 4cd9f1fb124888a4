import type { StoreName } from '../../domain/ids.js';
import type { SearchHit } from '../../domain/observations/search-hit.js';

export interface SearchRequest {
  readonly store: StoreName;
  /** As the store names it, e.g. `text_bm25_en`. */
  readonly collection: string;
  readonly query: string;
  /** In Milvus's filter language; empty for none. */
  readonly filter: string;
  readonly limit: number;
  readonly timeoutMs: number;
}

/** What the model can act on is a value; only an unreachable or missing store is thrown (PortFailure). */
export type SearchOutcome =
  | { readonly kind: 'hits'; readonly hits: readonly SearchHit[] }
  | { readonly kind: 'search-error'; readonly message: string }
  | { readonly kind: 'search-timeout' };

/** `valid` where Milvus evaluates the filter, whether or not any entry passes it. */
export type FilterTrial =
  | { readonly kind: 'valid' }
  | Extract<SearchOutcome, { readonly kind: 'search-error' | 'search-timeout' }>;

export interface SearchPort {
  readonly tryFilter: (
    request: Omit<SearchRequest, 'query' | 'limit'>,
    signal: AbortSignal,
  ) => Promise<FilterTrial>;
  readonly search: (request: SearchRequest, signal: AbortSignal) => Promise<SearchOutcome>;
}
