import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { packageRoot } from '../client/versions.js';
import type { ExampleStore } from './example-store.js';

/** Does `work` with so many workers beside the embedded one. */
export async function withHelper<T>(
  { session, environment, milvusAddress }: ExampleStore,
  workers: number,
  work: () => Promise<T>,
): Promise<T> {
  const helpers = Array.from({ length: workers }, () =>
    spawn(process.execPath, [join(packageRoot, 'dist/worker/main.js')], {
      env: {
        ...process.env,
        TURNWISE_HOME: environment.TURNWISE_HOME,
        TEMPORAL_ADDRESS: session.services.temporalAddress,
        MILVUS_ADDRESS: milvusAddress,
      },
      stdio: 'ignore',
    }),
  );
  try {
    return await work();
  } finally {
    for (const helper of helpers) {
      helper.kill();
      await once(helper, 'exit');
    }
  }
}
