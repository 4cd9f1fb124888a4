import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { obtainMilvusLite } from '../../worker/embedded/python-engines.js';
import { choosePorts } from '../../worker/embedded/service.js';
import { cacheFolder } from '../../worker/embedded/setup-context.js';
import { startLocalServer, type LocalServer } from './local-server.js';

/** A Milvus Lite server of a test's own, on a free port and with a folder that goes with it. */
export interface TestMilvus extends LocalServer {
  readonly address: string;
  /** For good. */
  readonly remove: () => Promise<void>;
}

/** @param within - the folder of its data's folder */
export async function startMilvusLite(within = tmpdir()): Promise<TestMilvus> {
  const { python } = await obtainMilvusLite({
    cacheFolder: cacheFolder(process.env['TURNWISE_CACHE']),
    onStep: () => undefined,
    signal: AbortSignal.timeout(600_000),
  });
  const data = mkdtempSync(join(within, 'turnwise-milvus-'));
  const { port } = await choosePorts({ port: { kind: 'any' } });
  const address = `127.0.0.1:${port}`;
  const server = await startLocalServer('Milvus Lite', address, [
    python,
    ...['-m', 'milvus_lite', 'server', '--data-dir', data],
    ...['--host', '127.0.0.1', '--port', String(port)],
  ]);
  return {
    ...server,
    address,
    remove: async () => {
      await server.kill();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
