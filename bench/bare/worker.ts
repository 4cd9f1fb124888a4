import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';

/** Waits as long as a model call would take. What is measured is the cost of the activity itself. */
export const emptyActivity = (waitMs: number): Promise<void> =>
  waitMs === 0 ? Promise.resolve() : sleep(waitMs);

// The worker of the bare Temporal loop, a separate process like turnwise's worker. Arguments: server address, task queue.

const [address = '', taskQueue = ''] = process.argv.slice(2);
const logger = new DefaultLogger('ERROR');
Runtime.install({
  logger,
  telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
});
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./workflow.js', import.meta.url)),
  activities: { emptyActivity },
  maxCachedWorkflows: 500,
});
process.on('disconnect', () => worker.shutdown());
process.send?.('ready');
await worker.run();
await connection.close();
