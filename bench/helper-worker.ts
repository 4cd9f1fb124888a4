import { once } from 'node:events';
import { bareWorker } from './bare-worker.js';
import type { ExampleStore } from './example-store.js';

/** Does `work` with so many workers beside the embedded one. */
export async function withHelper<T>(
  { session, environment, milvusAddress }: ExampleStore,
  workers: number,
  work: () => Promise<T>,
): Promise<T> {
  const helpers = Array.from({ length: workers }, () =>
    bareWorker(environment.TURNWISE_HOME, {
      temporalAddress: session.services.temporalAddress,
      milvusAddress,
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
