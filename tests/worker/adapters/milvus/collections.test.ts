import type { MilvusClient } from '@zilliz/milvus2-sdk-node';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../../activities/ports/stores.js';
import { storeNameSchema } from '../../../../domain/ids.js';
import { createGuard } from '../../../../worker/adapters/guard.js';
import { connectMilvus } from '../../../../worker/adapters/milvus/client.js';
import {
  createMilvusCollections,
  whenLoaded,
} from '../../../../worker/adapters/milvus/collections.js';

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

const refused = { error_code: 'UnexpectedError', code: 1, reason: 'dictionary changed size' };
const unparsable = { error_code: 'IllegalArgument', code: 6, reason: 'no expression' };
const found = { status: { error_code: 'Success', code: 0 }, results: [] };

/** What a search comes to where Milvus answers so, and how often it was asked. */
async function searched(...answers: readonly object[]) {
  let asked = 0;
  const client: MilvusClient = Object.create(null) as MilvusClient;
  const milvus = {
    ...connectMilvus({ address: '127.0.0.1:1' }),
    client: () => Promise.resolve(client),
  };
  const outcome = await whenLoaded(milvus, 'c', () => {
    asked += 1;
    return Promise.resolve(answers[Math.min(asked, answers.length) - 1] ?? {});
  }).catch((error: unknown) => error);
  return { outcome, asked };
}

it('is asked again after an error that it cannot name, which may be its own', async () => {
  expect(await searched(refused, refused, found)).toEqual({ outcome: found, asked: 3 });
});

it('is believed where it repeats the error, or names the fault of the request', async () => {
  const { outcome, asked } = await searched(refused);
  expect(outcome).toMatchObject({ name: 'MilvusRefusal', code: 1 });
  expect(asked).toBe(3);
  expect(await searched(unparsable)).toMatchObject({ outcome: { code: 6 }, asked: 1 });
});
