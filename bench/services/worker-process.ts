import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { workerProgram } from '../../client/services/programs.js';
import type { ExampleStore } from '../example-store.js';

/** Starts a worker directly, without the supervising `turnwise worker` command, so that one kill ends it. */
export const spawnWorker = (
  home: string,
  addresses: { readonly temporalAddress: string; readonly milvusAddress: string },
  settings: Readonly<Record<string, string>> = {},
): ChildProcess =>
  spawn(process.execPath, [workerProgram('worker')], {
    env: {
      ...process.env,
      ...settings,
      TURNWISE_HOME: home,
      TEMPORAL_ADDRESS: addresses.temporalAddress,
      MILVUS_ADDRESS: addresses.milvusAddress,
    },
    stdio: 'ignore',
  });

/** Runs `work` with `count` workers beside the embedded one. */
export async function withExtraWorkers<T>(
  { session, environment, milvusAddress }: ExampleStore,
  count: number,
  work: () => Promise<T>,
): Promise<T> {
  const workers = Array.from({ length: count }, () =>
    spawnWorker(environment.TURNWISE_HOME, {
      temporalAddress: session.services.temporalAddress,
      milvusAddress,
    }),
  );
  try {
    return await work();
  } finally {
    for (const worker of workers) {
      worker.kill();
      await once(worker, 'exit');
    }
  }
}
