import { describe, expect, it } from 'vitest';
import {
  callMilvus as callWith,
  connectMilvus,
} from '../../../../worker/adapters/milvus/client.js';

const callMilvus = <T>(call: () => Promise<T>): Promise<T> =>
  callWith(connectMilvus({ address: '127.0.0.1:1' }), call);
const grpc = (code: number): Error => Object.assign(new Error('from gRPC'), { code });
const rejecting = (reason: unknown) => () => Promise.reject(reason); // eslint-disable-line @typescript-eslint/prefer-promise-reject-errors -- as the SDK does

describe('a call to Milvus', () => {
  it.each([
    { status: { error_code: 'Success', reason: '', code: 0 }, data: 1 },
    { error_code: 'Success', reason: '', code: 0 },
    { error_code: 0 },
    { unlike: 'a status' },
  ])('returns what %j answers', async (answer) => {
    expect(await callMilvus(() => Promise.resolve(answer))).toBe(answer);
  });

  it.each([
    [() => Promise.resolve({ status: { error_code: 6, reason: 'bad filter', code: 6 } }), 6],
    [() => Promise.resolve({ error_code: 'UnexpectedError', reason: 'bad filter' }), 0],
    [rejecting({ error_code: 101, reason: 'bad filter' }), 101],
    [rejecting({ status: { error_code: 101, reason: 'bad filter', code: 101 } }), 101],
  ])('is refused by a status, returned or thrown (%#)', async (call, code) => {
    await expect(callMilvus<unknown>(call)).rejects.toMatchObject({
      name: 'MilvusRefusal',
      code,
      reason: 'bad filter',
    });
  });

  it.each([grpc(14), grpc(4), { error_code: 'RateLimit', reason: 'later', retriable: true }])(
    'reports what may pass as a store that is unavailable (%#)',
    async (reason) => {
      await expect(callMilvus(rejecting(reason))).rejects.toMatchObject({
        name: 'PortFailure',
        type: 'StoreUnavailable',
      });
    },
  );

  it('passes other errors on', async () => {
    const error = new TypeError('a mistake');
    await expect(callMilvus(rejecting(error))).rejects.toBe(error);
  });
});
