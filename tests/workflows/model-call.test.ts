import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { WorkflowFailedError } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { failedAttempt } from '../support/runs/exchanges.js';
import { exampleReply } from '../support/runs/example-records.js';
import type { LastAttempt } from '../support/workflows/failing-workflows.ts';
import { bundleWorkflows, startTemporal } from '../support/temporal.js';

const taskQueue = 'model-calls';
let temporal: TestWorkflowEnvironment;

beforeAll(async () => {
  temporal = await startTemporal();
  const path = fileURLToPath(new URL('../support/workflows/failing-workflows.ts', import.meta.url));
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

it('runs an activity through the queue that its worker cancelled without a request', async () => {
  expect(await execute('cancelledLocallyWorkflow', false)).toBe('done through the queue');
  await expect(execute('cancelledLocallyWorkflow', true)).rejects.toBeInstanceOf(
    WorkflowFailedError,
  );
});

describe('the attempts at a call', () => {
  const rounds = (...lastAttempts: readonly LastAttempt[]): Promise<unknown> =>
    execute('roundsWorkflow', ...lastAttempts);

  it('are not used up by workers that are lost with them', async () => {
    expect(await rounds(['lost'], ['told to end'], ['lost', { failed: 3 }])).toEqual([
      null,
      { failed: 0, lost: 8, unanswered: 0 },
      { failed: 0, lost: 16, unanswered: 0 },
      { failed: 3, lost: 21, unanswered: 0 },
    ]);
  });

  it('go on where the last one failed and others were lost', async () => {
    expect(await rounds(['failed', { failed: 1 }], ['told to end'])).toEqual([
      null,
      { failed: 1, lost: 7, unanswered: 0 },
      { failed: 1, lost: 14, unanswered: 0 },
    ]);
  });

  it('hand on why they failed', async () => {
    const failures = { count: 1, latest: [failedAttempt('ModelUnavailable')] };
    const reported = { failed: 1, failures };
    expect(await rounds(['lost', reported], ['told to end'])).toEqual([
      null,
      { ...reported, lost: 7, unanswered: 0 },
      { ...reported, lost: 14, unanswered: 0 },
    ]);
  });

  it('hand on a reply that is paid for', async () => {
    const paid = exampleReply(1, null);
    expect(await rounds(['lost', { failed: 0, paid }], ['lost'])).toEqual([
      null,
      { failed: 0, lost: 8, unanswered: 0, paid },
      { failed: 0, lost: 16, unanswered: 0, paid },
    ]);
  });

  it('hand it on through an outage, which they do not count', async () => {
    const paid = exampleReply(1, null);
    const waiting = await execute(
      'waitingRoundsWorkflow',
      ['failed', { failed: 8, paid }],
      ['failed', { failed: 8 }],
    );
    const handedOn = { failed: 0, lost: 0, unanswered: 0, paid };
    expect(waiting).toEqual([null, handedOn, handedOn]);
  });

  it.each<[string, readonly LastAttempt[]]>([
    ['as many have failed as there may be', [['failed', { failed: 8 }]]],
    ['as many have failed in all rounds', [['lost'], ['failed', { failed: 8 }]]],
    ['nobody has counted them', [['failed']]],
    ['every worker is lost with it', Array.from({ length: 10 }, (): LastAttempt => ['lost'])],
  ])('are at an end where %s', async (_, lastAttempts) => {
    await expect(rounds(...lastAttempts)).rejects.toBeInstanceOf(WorkflowFailedError);
  });
});
