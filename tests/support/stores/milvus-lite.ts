import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { obtainMilvusLite } from '../../../worker/embedded/milvus-lite-engine.js';
import { choosePorts } from '../../../worker/embedded/ports.js';
import { accepts } from '../../../worker/embedded/service.js';
import { cacheFolder } from '../../../worker/embedded/setup-context.js';

/** A Milvus Lite server of the test's own, on a free port and with a folder that goes with it. */
export interface TestMilvus {
  readonly address: string;
  /** As a power failure would: SIGKILL. */
  readonly kill: () => Promise<void>;
  /** Again on the same port and data. */
  readonly start: () => Promise<void>;
  /** For good. */
  readonly remove: () => Promise<void>;
}

export async function startMilvusLite(): Promise<TestMilvus> {
  const { python } = await obtainMilvusLite({
    cacheFolder: cacheFolder(process.env['TURNWISE_CACHE']),
    onStep: () => undefined,
    signal: AbortSignal.timeout(600_000),
  });
  const data = mkdtempSync(join(tmpdir(), 'turnwise-milvus-'));
  const { port } = await choosePorts({ port: { kind: 'any' } });
  const where = [
    '-m',
    'milvus_lite',
    'server',
    '--data-dir',
    data,
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
  ];
  let server: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    server = spawn(python, where, { stdio: 'ignore' });
    while (!(await accepts(`127.0.0.1:${port}`))) {
      if (server.exitCode !== null) throw new Error(`Milvus Lite ended with ${server.exitCode}.`);
      await sleep(50);
    }
  };
  const kill = async (): Promise<void> => {
    if (server?.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  await start();
  return {
    address: `127.0.0.1:${port}`,
    kill,
    start,
    remove: async () => {
      await kill();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
