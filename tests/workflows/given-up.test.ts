import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { WorkflowFailedError } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { exampleReply } from '../support/example-records.js';
import type { LastTry } from '../support/given-up-workflow.js';
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
    workflowId: randomUUID(),
    taskQueue,
    args: [...args],
  });

it('what a worker gave up without being asked is done through the queue', async () => {
  expect(await execute('givenUpWorkflow', false)).toBe('done through the queue');
  await expect(execute('givenUpWorkflow', true)).rejects.toBeInstanceOf(WorkflowFailedError);
});

describe('the tries of a call', () => {
  const rounds = (...lastTries: readonly LastTry[]): Promise<unknown> =>
    execute('roundsWorkflow', ...lastTries);

  it('are not used up by workers that are lost with them', async () => {
    expect(await rounds(['lost'], ['told to end'], ['lost', { tries: 3 }])).toEqual([
      null,
      { tries: 0, lost: 8 },
      { tries: 0, lost: 16 },
      { tries: 3, lost: 21 },
    ]);
  });

  it('go on where the last one failed and others were lost', async () => {
    expect(await rounds(['failed', { tries: 1 }], ['told to end'])).toEqual([
      null,
      { tries: 1, lost: 7 },
      { tries: 1, lost: 14 },
    ]);
  });

  it('hand on a reply that is paid for', async () => {
    const paid = exampleReply(1, null);
    expect(await rounds(['lost', { tries: 0, paid }], ['lost'])).toEqual([
      null,
      { tries: 0, lost: 8, paid },
      { tries: 0, lost: 16, paid },
    ]);
  });

  it.each<[string, readonly LastTry[]]>([
    ['as many have failed as there may be', [['failed', { tries: 8 }]]],
    ['as many have failed in all rounds', [['lost'], ['failed', { tries: 8 }]]],
    ['nobody has counted them', [['failed']]],
    ['every worker is lost with it', Array.from({ length: 10 }, (): LastTry => ['lost'])],
  ])('are at an end where %s', async (_, lastTries) => {
    await expect(rounds(...lastTries)).rejects.toBeInstanceOf(WorkflowFailedError);
  });
});
