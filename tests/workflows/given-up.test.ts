import { fileURLToPath } from 'node:url';
import { WorkflowFailedError } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { beforeAll, expect, it } from 'vitest';
import { bundleWorkflows, startTemporal } from '../support/temporal.js';

const taskQueue = 'given-up';
let temporal: TestWorkflowEnvironment;

beforeAll(async () => {
  temporal = await startTemporal();
  const path = fileURLToPath(new URL('../support/given-up-workflow.ts', import.meta.url));
  const worker = await Worker.create({
    connection: temporal.nativeConnection,
    taskQueue,
    workflowBundle: await bundleWorkflows(path),
  });
  const working = worker.run();
  return async () => {
    worker.shutdown();
    await working;
    await temporal.teardown();
  };
});

const execute = (name: string, ...args: readonly unknown[]): Promise<unknown> =>
  temporal.client.workflow.execute(name, {
    workflowId: [name, ...args].join('-'),
    taskQueue,
    args: [...args],
  });

it('what a worker gave up without being asked is done through the queue', async () => {
  expect(await execute('givenUpWorkflow', false)).toBe('done through the queue');
  await expect(execute('givenUpWorkflow', true)).rejects.toBeInstanceOf(WorkflowFailedError);
});

it('workers that are lost again and again do not use up the tries of a call', async () => {
  expect(await execute('lostWorkflow', 3)).toBe(4);
});

it('a call that every worker is lost with ends its question', async () => {
  await expect(execute('lostWorkflow', 100)).rejects.toBeInstanceOf(WorkflowFailedError);
});
