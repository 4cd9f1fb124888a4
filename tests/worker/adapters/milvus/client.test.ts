import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  callMilvus,
  connectMilvus,
  type Milvus,
} from '../../../../worker/adapters/milvus/client.js';

const sockets = new Set<Socket>();
let server: Server | null = null;
let milvus: Milvus | null = null;
afterEach(async () => {
  await milvus?.close();
  for (const socket of sockets) socket.destroy();
  server?.close();
});

/** Accepts connections and never says a word. */
async function listenSilently(port = 0): Promise<number> {
  server = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const collections = (at: Milvus): Promise<unknown> =>
  callMilvus(at, (client) => client.showCollections());

it('is asked for where a worker without one serves a store', async () => {
  const milvus = connectMilvus({ address: undefined });
  await expect(callMilvus(milvus, (client) => client.getVersion())).rejects.toMatchObject({
    type: 'StoreUnavailable',
    message: expect.stringContaining('MILVUS_ADDRESS is not set') as unknown,
  });
});

describe('a Milvus that does not answer', () => {
  it('is unavailable within the time limit of a call, each time', async () => {
    milvus = connectMilvus({ address: `127.0.0.1:${await listenSilently()}`, timeoutMs: 300 });
    const begin = performance.now();
    for (let call = 0; call < 2; call += 1) {
      await expect(collections(milvus)).rejects.toMatchObject({ type: 'StoreUnavailable' });
    }
    // The third failure is examined, and then nothing is asked for a while.
    for (let call = 2; call < 4; call += 1) {
      await expect(collections(milvus)).rejects.toMatchObject({
        type: 'ModelDeferred',
        options: { reason: 'outage', outage: 'StoreUnavailable' },
      });
    }
    expect(performance.now() - begin).toBeLessThan(10_000);
    // A new connection for each call, since each before it has failed.
    expect(sockets.size).toBeGreaterThanOrEqual(3);
  });

  it('is unavailable to a call of several requests between which another has failed', async () => {
    milvus = connectMilvus({ address: `127.0.0.1:${await listenSilently()}`, timeoutMs: 300 });
    const failing = collections(milvus);
    const long = callMilvus(milvus, async (client) => {
      await failing.catch(() => undefined);
      return client.showCollections();
    });
    await expect(long).rejects.toMatchObject({ type: 'StoreUnavailable' });
  });

  it('is connected to anew after it has refused', async () => {
    const port = await listenSilently();
    await new Promise((resolve) => server?.close(resolve));
    milvus = connectMilvus({ address: `127.0.0.1:${port}`, timeoutMs: 300 });
    await expect(collections(milvus)).rejects.toMatchObject({ type: 'StoreUnavailable' });
    const first = await milvus.client();
    await listenSilently(port);
    await expect(collections(milvus)).rejects.toMatchObject({ type: 'StoreUnavailable' });
    expect(await milvus.client()).not.toBe(first);
    expect(sockets.size).toBeGreaterThan(0);
  });
});
