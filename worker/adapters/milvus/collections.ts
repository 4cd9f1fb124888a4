import type { FieldType, MilvusClient } from '@zilliz/milvus2-sdk-node';
import { z } from 'zod';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredVectorsPort, VectorRef } from '../../../activities/ports/store-contents.js';
import type { CollectionsPort, Entry } from '../../../activities/ports/stores.js';
import type { SparseVector } from '../../../domain/stores/bm25.js';
import { filterText } from '../../../domain/stores/vectorstore-schema.js';
import {
  collectionInMilvus,
  generationInMilvus,
  modalityOf,
  type Collection,
  type Generation,
} from '../../../domain/stores/store-manifest.js';
import { callMilvus, type Milvus, MilvusRefusal } from './client.js';

/** Rows of one request: some megabytes of dense vectors. */
const batchSize = 1_000;

/**
 * For large requests. The SDK writes each request as JSON for its log, even where it logs nothing: of vectors that would take
 * a quarter of the time of an insert.
 */
const withoutLog = { toJSON: () => 'not logged' };

/** The fields that a search returns beside the score, and that a filter may name. */
const scalarFields = [
  { name: 'pdf_id', data_type: 'VarChar', max_length: 256 },
  { name: 'page_number', data_type: 'Int16' },
  { name: 'table_name', data_type: 'VarChar', max_length: 256 },
  { name: 'column_name', data_type: 'VarChar', max_length: 256 },
  { name: 'primary_key', data_type: 'VarChar', max_length: 512 },
] as const satisfies readonly FieldType[];

export function createMilvusCollections(milvus: Milvus): CollectionsPort {
  return {
    create: async (generation, { name, vector, metric }) => {
      const collection_name = collectionInMilvus(generation, name);
      await dropped(collection_name);
      await callMilvus(milvus, (client) =>
        client.createCollection({
          collection_name,
          enable_dynamic_field: false,
          fields: [
            { name: 'id', data_type: 'Int64', is_primary_key: true, autoID: true },
            vectorField(vector),
            ...(modalityOf(name) === 'image' ? [boxField] : []),
            ...scalarFields,
          ],
        }),
      );
      // Given with the collection, the SDK would also load it, empty as it is.
      const indexes = [
        { field_name: 'vector', index_type: vectorIndex[vector.kind], metric_type: metric },
        ...scalarFields.map(({ name: field_name }) => ({ field_name, index_type: 'INVERTED' })),
      ];
      await callMilvus(milvus, (client) =>
        client.createIndex(indexes.map((index) => ({ collection_name, ...index }))),
      );
    },
    insert: async (generation, collection, entries) => {
      const collection_name = collectionInMilvus(generation, collection);
      for (let start = 0; start < entries.length; start += batchSize) {
        const data = entries.slice(start, start + batchSize).map(rowOf);
        const request = { collection_name, data, ...withoutLog };
        await callMilvus(milvus, (client) => client.insert(request));
      }
    },
    finish: async (generation, collection) => {
      const collection_name = collectionInMilvus(generation, collection);
      // Unflushed, a dense search takes twenty times as long.
      await callMilvus(milvus, (client) =>
        client.flushSync({ collection_names: [collection_name] }),
      );
      await load(milvus, collection_name);
    },
    exist: async (manifest) => {
      const names = await collectionNames(milvus);
      return manifest.collections.every(({ name }) =>
        names.includes(collectionInMilvus(manifest, name)),
      );
    },
    list: listed,
    drop: dropped,
    dropOthers: async (kept) => {
      const [store] = kept;
      if (store === undefined) return;
      const numbers = new Set<number | null>(kept.map(({ generation }) => generation));
      for (const name of await listed(store)) {
        if (!numbers.has(generationInMilvus(store, name))) await dropped(name);
      }
    },
  };

  async function listed(store: Pick<Generation, 'name' | 'key'>): Promise<readonly string[]> {
    const names = await collectionNames(milvus);
    return names.filter((name) => generationInMilvus(store, name) !== null);
  }

  async function dropped(collection_name: string): Promise<void> {
    await callMilvus(milvus, (client) => client.dropCollection({ collection_name }));
  }
}

const boxField = {
  name: 'bbox',
  data_type: 'Array',
  element_type: 'Int16',
  max_capacity: 4,
} as const satisfies FieldType;

const vectorIndex = { sparse: 'SPARSE_INVERTED_INDEX', dense: 'FLAT' } as const;

function vectorField(vector: Collection['vector']): FieldType {
  switch (vector.kind) {
    case 'sparse':
      return { name: 'vector', data_type: 'SparseFloatVector' };
    case 'dense':
      return { name: 'vector', data_type: 'FloatVector', dim: vector.dimensions };
  }
}

/** A Milvus server takes dimensions only in their order. */
const sparseOf = (vector: SparseVector) => {
  const weights = [...vector].sort(([one], [other]) => one - other);
  return {
    indices: weights.map(([dimension]) => dimension),
    values: weights.map(([, weight]) => weight),
  };
};

const rowOf = ({ paperId, cell, vector }: Entry) => ({
  vector: 'size' in vector ? sparseOf(vector) : [...vector],
  ...(cell.box && { bbox: [...cell.box] }),
  pdf_id: paperId,
  page_number: cell.pageNumber,
  table_name: cell.table,
  column_name: cell.column,
  primary_key: cell.primaryKey,
});

async function collectionNames(milvus: Milvus): Promise<readonly string[]> {
  const { data } = await callMilvus(milvus, (client) => client.showCollections());
  return data.map(({ name }) => name);
}

/** Entries of one reply, below Milvus's own limit of 16,384. */
const pageSize = 10_000;

/** Reads which vectors there are. Strongly consistent: what was inserted before the call is seen. */
export function createMilvusVectors(milvus: Milvus): StoredVectorsPort {
  return {
    count: async (generation, collection) => {
      const collection_name = collectionInMilvus(generation, collection);
      const { data } = await whenLoaded(milvus, collection_name, (client) =>
        client.count({ collection_name }),
      );
      return data;
    },
    refs: async function* (generation, collection, of) {
      const collection_name = collectionInMilvus(generation, collection);
      const narrowed = of === undefined ? [] : [filterOf(of)];
      for (let last: string | undefined; ;) {
        const after = last === undefined ? [] : [`id > ${last}`];
        const { data } = await whenLoaded(milvus, collection_name, async (client) => {
          const { ConsistencyLevelEnum } = await import('@zilliz/milvus2-sdk-node');
          return client.query({
            collection_name,
            filter: [...narrowed, ...after].join(' and '),
            limit: pageSize,
            output_fields: Object.keys(entrySchema.shape),
            consistency_level: ConsistencyLevelEnum.Strong,
            // In the order of ids.
            params: { iterator: 'True' },
          });
        });
        const page = data.map((entry) => entrySchema.parse(entry));
        if (page.length > 0) yield page.map(refOf);
        if (page.length < pageSize) return;
        last = page.at(-1)?.id;
      }
    },
  };
}

const filterOf = (
  of: { readonly papers: readonly string[] } | { readonly table: string },
): string =>
  'papers' in of
    ? `pdf_id in ${JSON.stringify(of.papers)}`
    : `table_name == ${filterText(of.table)}`;

const entrySchema = z.object({
  id: z.coerce.string(),
  pdf_id: z.string(),
  table_name: z.string(),
  column_name: z.string(),
  primary_key: z.string(),
});

const refOf = (entry: z.infer<typeof entrySchema>): VectorRef => ({
  paperId: entry.pdf_id,
  table: entry.table_name,
  column: entry.column_name,
  primaryKey: entry.primary_key,
});

/** Milvus's error code for a collection that is not loaded, as after a restart of Milvus. */
export const notLoaded = 101;

/** Its codes for an error that it has no name for: none, and those of `UnexpectedError`. */
const unnamed: readonly number[] = [0, 1, 65_535];

/** Times that a call is made whose error has no name, and the pause between two. */
const unnamedTries = 3;
const unnamedPauseMs = 200;

/**
 * Makes a call that needs the collection in memory, and loads the collection first if Milvus was restarted. An error without a
 * name may be Milvus's own: it is the request's only if it comes again.
 */
export async function whenLoaded<T>(
  milvus: Milvus,
  collection_name: string,
  call: (client: MilvusClient) => Promise<T>,
): Promise<T> {
  for (let tries = 1, isLoaded = false; ; tries += 1) {
    try {
      return await callMilvus(milvus, call);
    } catch (error) {
      if (!(error instanceof MilvusRefusal)) throw error;
      if (error.code === notLoaded && !isLoaded) {
        await load(milvus, collection_name);
        isLoaded = true;
      } else if (unnamed.includes(error.code) && tries < unnamedTries) {
        await sleep(unnamedPauseMs);
      } else {
        throw error;
      }
    }
  }
}

/** Between two looks at a collection that is being loaded. */
const pollMs = 100;

/** Loads a collection into memory. The SDK's own function waits 400 ms after it has been loaded. */
async function load(milvus: Milvus, collection_name: string): Promise<void> {
  await callMilvus(milvus, (client) => client.loadCollectionAsync({ collection_name }));
  for (;;) {
    const { progress } = await callMilvus(milvus, (client) =>
      client.getLoadingProgress({ collection_name }),
    );
    if (Number(progress) >= 100) return;
    await sleep(pollMs);
  }
}
