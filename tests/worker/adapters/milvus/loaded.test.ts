import type { MilvusClient } from '@zilliz/milvus2-sdk-node';
import { expect, it } from 'vitest';
import { connectMilvus } from '../../../../worker/adapters/milvus/client.js';
import { whenLoaded } from '../../../../worker/adapters/milvus/loaded.js';

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
