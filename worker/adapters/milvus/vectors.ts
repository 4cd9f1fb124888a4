import { z } from 'zod';
import type { StoredVectorsPort, VectorRef } from '../../../activities/ports/store-contents.js';
import { filterText } from '../../../domain/stores/filter-operators.js';
import { collectionInMilvus } from '../../../domain/stores/store-manifest.js';
import type { Milvus } from './client.js';
import { whenLoaded } from './loaded.js';

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
