import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { Client } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import {
  DefaultLogger,
  NativeConnection,
  Runtime,
  makeTelemetryFilterString,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import { z } from 'zod';
import { createActivities } from '../activities/index.js';
import { heartbeatThrottle, stickyTimeout } from '../domain/worker-timeouts.js';
import { environmentSchema, setVariables } from '../domain/settings.js';
import type { workerReadySchema } from '../domain/services.js';
import { createPorts } from './ports.js';
import { workflowBuild, workflowBundlePath } from './workflow-bundle.js';

/**
 * A worker process. What it knows comes from its environment (`domain/settings.ts`) and from its arguments, which are the
 * task queues it serves where that is not the environment's one. It ends on
 * SIGTERM and SIGINT once calls in flight have had time to end, and when a supervisor that started it is gone.
 */
const environment = environmentSchema
  .extend({ TEMPORAL_ADDRESS: z.string(), MILVUS_ADDRESS: z.string() })
  .parse(setVariables(process.env));

const isSupervised = process.send !== undefined;
// Its supervisor says when there is something to connect to.
if (isSupervised) await once(process, 'message');

// Not before: it takes signals for itself, which until then may just end this process.
Runtime.install({
  logger: new DefaultLogger('INFO'),
  telemetryOptions: {
    logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
  },
});

const { connectionOptions, namespace } = loadClientConnectConfig();
const connection = await NativeConnection.connect(connectionOptions);
const ports = createPorts({
  environment: { ...environment, TURNWISE_HOME: resolve(environment.TURNWISE_HOME) },
  client: new Client({ connection, ...(namespace && { namespace }) }),
  // A server of ours has one supervised worker at a time, whichever process it is.
  worker: isSupervised ? 'embedded' : randomUUID(),
});

const common: Omit<WorkerOptions, 'taskQueue'> = {
  connection,
  ...(namespace && { namespace }),
  workflowBundle: { codePath: workflowBundlePath },
  activities: createActivities(ports),
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- what replaces it is for versioned workers, and longer
  buildId: workflowBuild(),
  // A call waits inside its activity for its turn, and a window holds 2,000 questions at most (`run-config.ts`).
  maxConcurrentActivityTaskExecutions: 2_200,
  maxCachedWorkflows: 2_200,
  maxHeartbeatThrottleInterval: heartbeatThrottle,
  stickyQueueScheduleToStartTimeout: stickyTimeout,
  // As long as one model call commonly takes: a reply that is paid for should be stored.
  shutdownGraceTime: '20 seconds',
  shutdownForceTime: '30 seconds',
};
const named = process.argv.slice(2);
const queues = named.length > 0 ? named : [environment.TURNWISE_TASK_QUEUE];
const workers = await Promise.all(
  queues.map((taskQueue) => Worker.create({ ...common, taskQueue })),
);

// Without its supervisor it has nobody to restart or to stop it, and that may be gone before anybody listened.
process.on('disconnect', () => {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
});
if (isSupervised && !process.connected) process.exit();
process.send?.({ kind: 'ready' } satisfies z.infer<typeof workerReadySchema>);

// A terminal, npx and `turnwise worker` each send a signal, and the SDK listens to the first one only: without a listener
// the next one would end the process at once, and the calls that are given time to end.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

await Promise.all(workers.map((worker) => worker.run()));
await ports.close();
await connection.close();
if (process.connected) process.disconnect();
