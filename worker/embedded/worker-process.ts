import { workerFlags } from '../../domain/services/worker-flags.js';
import type { z } from 'zod';
import {
  workerReadySchema,
  type workerServeSchema,
} from '../../domain/services/supervisor-message.js';
import type { Home } from './home.js';
import type { ServiceSpec } from './service.js';

interface WorkerPlan {
  readonly script: string;
  readonly home: Home;
  readonly temporalAddress: string;
  readonly milvusAddress: string;
}

/**
 * A worker on the embedded services. It reads its program while they start, and says itself when it polls.
 * @param temporal - resolves once the server is there
 */
export function workerProcess(plan: WorkerPlan, temporal: Promise<unknown>): ServiceSpec {
  const { script, home, temporalAddress, milvusAddress } = plan;
  return {
    name: 'worker',
    command: process.execPath,
    args: [...workerFlags, script],
    env: {
      ...process.env,
      TURNWISE_HOME: home.path,
      TEMPORAL_ADDRESS: temporalAddress,
      MILVUS_ADDRESS: milvusAddress,
    },
    logPath: home.logPath('worker'),
    commandMark: script,
    channel: 'ipc',
    startTimeoutMs: 120_000,
    // Calls in flight are let finish: a model call may take a while, and is paid for.
    stopGraceMs: 30_000,
    ready: (child, signal) =>
      new Promise((resolve, reject) => {
        // The listener stays for the life of the process, so that nothing it says later is left unread.
        child.on('message', (message) => {
          if (workerReadySchema.safeParse(message).success) resolve();
        });
        const begin = (): void => {
          const serve: z.infer<typeof workerServeSchema> = { kind: 'serve' };
          if (child.connected) child.send(serve);
        };
        // Where it is never there, whoever starts it says so.
        temporal.then(begin).catch(() => undefined);
        signal.addEventListener('abort', () => reject(new Error('not ready')), { once: true });
      }),
  };
}
