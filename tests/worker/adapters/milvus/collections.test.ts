import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../../activities/ports/stores.js';
import { storeNameSchema } from '../../../../domain/ids.js';
import { createGuard } from '../../../../worker/adapters/guard.js';
import { createMilvusCollections } from '../../../../worker/adapters/milvus/collections.js';

const generation = { name: storeNameSchema.parse('papers'), key: 'k1', generation: 1 };
const cell = { table: 'chunks', column: 'text_content', primaryKey: 'c1', pageNumber: 2, text: '' };

interface Request {
  readonly data: readonly { readonly vector: unknown }[];
}

async function requestsOf(entries: readonly Entry[]): Promise<readonly Request[]> {
  const requests: Request[] = [];
  const client = {
    insert: (request: Request) => {
      requests.push(request);
      return Promise.resolve({ status: { error_code: 'Success' } });
    },
  };
  const milvus = {
    client: () => Promise.resolve(client),
    guard: createGuard('Milvus'),
    close: () => Promise.resolve(),
  };
  await createMilvusCollections(milvus as never).insert(generation, 'texts', entries);
  return requests;
}

describe('an insert', () => {
  it('has the dimensions of a sparse vector in their order, as a Milvus server wants them', async () => {
    const vector = new Map([
      [70_000, 0.5],
      [3, 2],
      [12, 1],
    ]);
    const [request] = await requestsOf([{ paperId: 'p', cell, vector }]);
    expect(request?.data[0]?.vector).toEqual({ indices: [3, 12, 70_000], values: [2, 1, 0.5] });
  });

  it('is no long text in the log that the SDK makes of it', async () => {
    const vector = Array.from({ length: 384 }, (_, index) => index / 7);
    const [request] = await requestsOf([{ paperId: 'p', cell, vector }]);
    expect(request?.data[0]?.vector).toEqual(vector);
    expect(JSON.stringify(request).length).toBeLessThan(50);
  });
});
