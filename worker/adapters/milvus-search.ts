import type { MilvusClient } from '@zilliz/milvus2-sdk-node';
import { z } from 'zod';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { SearchOutcome, SearchPort, SearchRequest } from '../../activities/ports/search.js';
import type { SearchHit } from '../../domain/observations/search-hit.js';
import { collectionInMilvus, type Collection } from '../../domain/stores/store-manifest.js';
import type { Embedders } from './embedders.js';
import { callMilvus, MilvusRefusal } from './milvus-call.js';
import { createOpenedStores, type OpenedStore } from './opened-stores.js';

export interface MilvusSearchOptions {
  readonly client: MilvusClient;
  readonly embedders: Embedders;
  /** TURNWISE_HOME */
  readonly home: string;
}

/** Milvus's code for a collection that is not loaded, as all are after a restart. */
const notLoaded = 101;

export function createMilvusSearch({ client, embedders, home }: MilvusSearchOptions): SearchPort {
  const opened = createOpenedStores(home);
  return {
    search: async (request, signal) => {
      const timeUp = AbortSignal.timeout(request.timeoutMs);
      const either = AbortSignal.any([signal, timeUp]);
      try {
        return await untilAborted(searchStore(request, either), either);
      } catch (error) {
        signal.throwIfAborted();
        if (timeUp.aborted) return { kind: 'search-timeout' };
        if (!(error instanceof MilvusRefusal)) throw error;
        if (error.code === notLoaded) throw new PortFailure('StoreUnavailable', error.message);
        return { kind: 'search-error', message: error.reason };
      }
    },
  };

  async function searchStore(request: SearchRequest, signal: AbortSignal): Promise<SearchOutcome> {
    const store = await opened(request.store);
    const outcome = await searchGeneration(store, request, signal);
    if (outcome !== 'collection-gone') return outcome;
    // A new generation may have taken the place of the one just read.
    const now = await opened(request.store);
    const second = now === store ? outcome : await searchGeneration(now, request, signal);
    return second === 'collection-gone'
      ? {
          kind: 'search-error',
          message: `Collection '${request.collection}' is missing in Milvus.`,
        }
      : second;
  }

  async function searchGeneration(
    store: OpenedStore,
    request: SearchRequest,
    signal: AbortSignal,
  ): Promise<SearchOutcome | 'collection-gone'> {
    const { manifest } = store;
    const collection = manifest.collections.find(({ name }) => name === request.collection);
    if (collection === undefined) {
      const names = manifest.collections.map(({ name }) => name).join(', ');
      return {
        kind: 'search-error',
        message: `Collection '${request.collection}' does not exist. There are: ${names}.`,
      };
    }
    const vector = await encode(store, collection, request.query, signal);
    if (vector === undefined) return { kind: 'hits', hits: [] };
    const collection_name = collectionInMilvus(manifest, collection.name);
    const exists = await callMilvus(() => client.hasCollection({ collection_name }));
    if (exists.value !== true) return 'collection-gone';
    const send = () =>
      callMilvus(() =>
        client.search({
          collection_name,
          data: vector,
          limit: request.limit,
          filter: request.filter,
          metric_type: collection.metric,
          output_fields: Object.keys(fieldsSchema.shape),
          // Later than the search's own limit, so that the two cannot be confused.
          timeout: request.timeoutMs + 1_000,
        }),
      );
    const { results } = await send().catch(async (error: unknown) => {
      if (!(error instanceof MilvusRefusal) || error.code !== notLoaded) throw error;
      await callMilvus(() => client.loadCollectionSync({ collection_name }));
      return send();
    });
    return { kind: 'hits', hits: results.map(hitOf) };
  }

  /** Undefined where no text can match, since the query shares no term with the store. */
  async function encode(
    { bm25 }: OpenedStore,
    { vector, embedder }: Collection,
    query: string,
    signal: AbortSignal,
  ): Promise<number[] | Record<number, number> | undefined> {
    switch (vector.kind) {
      case 'sparse': {
        const weights = bm25.query(query);
        return weights.size === 0 ? undefined : Object.fromEntries(weights);
      }
      case 'dense': {
        const [embedded] = await embedders(embedder).embed([query], signal);
        return embedded && [...embedded];
      }
    }
  }
}

const fieldsSchema = z.object({
  pdf_id: z.string(),
  page_number: z.number(),
  table_name: z.string(),
  column_name: z.string(),
  primary_key: z.string(),
});
const hitSchema = fieldsSchema.extend({ score: z.number() });

function hitOf(result: unknown): SearchHit {
  const hit = hitSchema.parse(result);
  return {
    score: hit.score,
    pdfId: hit.pdf_id,
    pageNumber: hit.page_number,
    tableName: hit.table_name,
    columnName: hit.column_name,
    primaryKey: hit.primary_key,
  };
}

/** The SDK takes no signal; what it still answers after `signal` fired is dropped. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error); // what AbortSignal.any passes on
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
