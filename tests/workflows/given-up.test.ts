import { fileURLToPath } from 'node:url';
import { WorkflowFailedError } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { bundleWorkflows, startTemporal } from '../support/temporal.js';

it('what a worker gave up without being asked is done through the queue', async () => {
  const temporal = await startTemporal();
  const path = fileURLToPath(new URL('../support/given-up-workflow.ts', import.meta.url));
  const worker = await Worker.create({
    connection: temporal.nativeConnection,
    taskQueue: 'given-up',
    workflowBundle: await bundleWorkflows(path),
  });
  const run = (isAskedFor: boolean): Promise<unknown> =>
    temporal.client.workflow.execute('givenUpWorkflow', {
      workflowId: `given-up-${isAskedFor}`,
      taskQueue: 'given-up',
      args: [isAskedFor],
    });
  await worker.runUntil(async () => {
    expect(await run(false)).toBe('done through the queue');
    await expect(run(true)).rejects.toBeInstanceOf(WorkflowFailedError);
  });
  await temporal.teardown();
});
