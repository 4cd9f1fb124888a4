import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { EmbeddersPort } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { SearchOutcome, SearchPort, SearchRequest } from '../../../activities/ports/tools.js';
import type { SearchHit } from '../../../domain/agent/observations/vector-search.js';
import {
  collectionInMilvus,
  modalityOf,
  type Collection,
  type StoreManifest,
} from '../../../domain/stores/store-manifest.js';
import type { StoreGenerations } from '../../../storage/stores/store-generations.js';
import { callMilvus, MilvusRefusal, type Milvus } from './client.js';
import { notLoaded, whenLoaded } from './collections.js';
import { createOpenedStores, type OpenedStore } from '../files/stores.js';
import { timeLimit } from '../time-limit.js';

interface MilvusSearchOptions {
  readonly milvus: Milvus;
  readonly embedders: EmbeddersPort;
  readonly generations: StoreGenerations;
}

/** Milvus's own limit on the hits of one search. */
const maxHits = 16_384;

/** Filters that are remembered as valid: models repeat them in each turn of a question. */
const maxFilters = 10_000;

export function createMilvusSearch({
  milvus,
  embedders,
  generations,
}: MilvusSearchOptions): SearchPort {
  const opened = createOpenedStores(generations);
  /** Valid filters by collection. They stay valid, since the fields of a generation never change. */
  const accepted = new LRUCache<string, true>({ max: maxFilters });
  return {
    search: (request, signal) =>
      withinTime(request.timeoutMs, signal, (either) =>
        inCollection(request, async (place) => {
          // Milvus Lite does not check the limit, and the SDK cannot read the reply to a negative one.
          if (request.limit < 1 || request.limit > maxHits) {
            return failure(`the limit must be from 1 to ${maxHits}, not ${request.limit}`);
          }
          const vector = await encode(place, request.query, either);
          if (vector === undefined) return { kind: 'hits', hits: [] };
          return { kind: 'hits', hits: await cellsNear(place, vector, request) };
        }),
      ),
    tryFilter: (request, signal) =>
      withinTime(request.timeoutMs, signal, () =>
        inCollection(request, async (place) => {
          const tried = `${place.name} ${request.filter}`;
          if (accepted.has(tried)) return { kind: 'valid' };
          await whenLoaded(milvus, place.name, (client) =>
            client.query({
              collection_name: place.name,
              filter: request.filter,
              limit: 1,
              output_fields: ['id'],
              timeout: callTimeout(request),
            }),
          );
          accepted.set(tried, true);
          return { kind: 'valid' };
        }),
      ),
  };

  /**
   * Calls `use` with a collection, and again if it was replaced by that of a new generation meanwhile. Only after a failure
   * of `use`, of any kind, does it check whether the collection exists.
   */
  async function inCollection<T>(
    {
      store: name,
      fingerprint,
      collection: wanted,
    }: Pick<SearchRequest, 'store' | 'fingerprint' | 'collection'>,
    use: (place: Place) => Promise<T>,
  ): Promise<T | Failure> {
    for (let before: StoreManifest | undefined; ;) {
      const store = await opened({ store: name, fingerprint });
      const { collections } = store.manifest;
      const collection = collections.find((candidate) => candidate.name === wanted);
      if (collection === undefined) {
        const names = collections.map((candidate) => candidate.name).join(', ');
        return failure(`Collection '${wanted}' does not exist. There are: ${names}.`);
      }
      if (store.manifest === before) {
        const message = `Collection '${wanted}' of store ${name} is missing in Milvus: \`turnwise store check ${name} --repair\` restores it.`;
        throw new PortFailure('StoreUnavailable', message);
      }
      const place = { store, collection, name: collectionInMilvus(store.manifest, wanted) };
      try {
        return await use(place);
      } catch (error) {
        if (await exists(place)) throw error;
        before = store.manifest;
        generations.forget(name);
      }
    }
  }

  async function exists({ name }: Place): Promise<boolean> {
    const { value } = await callMilvus(milvus, (client) =>
      client.hasCollection({ collection_name: name }),
    );
    return value === true;
  }

  /** Searches again for more entries while several of those found are parts of one cell. */
  async function cellsNear(
    place: Place,
    vector: number[] | Record<number, number>,
    request: SearchRequest,
  ): Promise<readonly SearchHit[]> {
    for (let entries = request.limit; ; entries = Math.min(entries * 4, maxHits)) {
      const limit = entries;
      const { results } = await whenLoaded(milvus, place.name, (client) =>
        client.search({
          collection_name: place.name,
          data: vector,
          limit,
          filter: request.filter,
          metric_type: place.collection.metric,
          output_fields: [
            ...Object.keys(fieldsSchema.shape),
            ...(modalityOf(place.collection.name) === 'image' ? ['bbox'] : []),
          ],
          timeout: callTimeout(request),
        }),
      );
      const cells = bestOfCells(results.map(hitOf));
      const all = results.length < limit || limit === maxHits;
      if (all || cells.length >= request.limit) return cells.slice(0, request.limit);
    }
  }

  /** Undefined if the query shares no term with the store, so that no text can match. */
  async function encode(
    { store: { bm25 }, collection: { vector, embedder } }: Place,
    query: string,
    signal: AbortSignal,
  ): Promise<number[] | Record<number, number> | undefined> {
    switch (vector.kind) {
      case 'sparse': {
        const weights = bm25.search(query);
        return weights.size === 0 ? undefined : Object.fromEntries(weights);
      }
      case 'dense': {
        const [embedded] = await embedders(embedder).embed([query], signal);
        return embedded && [...embedded];
      }
    }
  }
}

interface Place {
  readonly store: OpenedStore;
  readonly collection: Collection;
  /** In Milvus. */
  readonly name: string;
}

type Failure = Extract<SearchOutcome, { readonly kind: 'search-error' }>;

/** The most time of a search. A hang of Milvus shows no later, however long the model's statements may take. */
const maxSearchMs = 60_000;

const limitOf = (timeoutMs: number): number => Math.min(timeoutMs, maxSearchMs);

async function withinTime<T>(
  timeoutMs: number,
  signal: AbortSignal,
  work: (either: AbortSignal) => Promise<T>,
): Promise<T | Failure> {
  const timeUp = timeLimit(limitOf(timeoutMs));
  const either = AbortSignal.any([signal, timeUp]);
  try {
    return await untilAborted(work(either), either);
  } catch (error) {
    signal.throwIfAborted();
    // A search is never too much work for Milvus: it is paused, loads, or is not there.
    if (timeUp.aborted) {
      const seconds = limitOf(timeoutMs) / 1000;
      throw new PortFailure('StoreUnavailable', `No search was complete within ${seconds} s.`, {
        cause: error,
      });
    }
    if (!(error instanceof MilvusRefusal)) throw error;
    if (error.code === notLoaded) throw new PortFailure('StoreUnavailable', error.message);
    return { kind: 'search-error', message: error.reason };
  }
}

const failure = (message: string): Failure => ({ kind: 'search-error', message });

/** The call ends with the search that waits for it, so that the client is made anew. */
const callTimeout = ({ timeoutMs }: Pick<SearchRequest, 'timeoutMs'>): number => limitOf(timeoutMs);

const fieldsSchema = z.object({
  pdf_id: z.string(),
  page_number: z.number(),
  table_name: z.string(),
  column_name: z.string(),
  primary_key: z.string(),
});
const hitSchema = fieldsSchema.extend({ score: z.number(), bbox: z.array(z.number()).optional() });

function hitOf(result: unknown): SearchHit {
  const hit = hitSchema.parse(result);
  return {
    score: hit.score,
    pdfId: hit.pdf_id,
    pageNumber: hit.page_number,
    tableName: hit.table_name,
    columnName: hit.column_name,
    primaryKey: hit.primary_key,
    ...(hit.bbox && { box: hit.bbox }),
  };
}

/** The first, which is the best, of each cell's hits. */
function bestOfCells(hits: readonly SearchHit[]): readonly SearchHit[] {
  const cells = new Map<string, SearchHit>();
  for (const hit of hits) {
    const cell = [hit.tableName, hit.columnName, hit.primaryKey].join('\n');
    if (!cells.has(cell)) cells.set(cell, hit);
  }
  return [...cells.values()];
}

/** The SDK takes no signal: a reply that comes after an abort is dropped. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error); // Temporal and Node abort with an Error.
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
