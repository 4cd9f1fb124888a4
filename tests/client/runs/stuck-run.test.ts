import { fileURLToPath } from 'node:url';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { queryLive } from '../../../client/runs/query-run.js';
import { startRun } from '../../../client/runs/start-run.js';
import { endStuckRun, isStuckRun } from '../../../client/runs/live-run.js';
import { eventually } from '../../support/command-line.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { bundleWorkflows, startTemporal } from '../../support/temporal.js';
import { atHome } from '../../support/test-home.js';

const taskQueue = 'stuck';
const manifest = exampleManifest();
const { run } = manifest;
let temporal: TestWorkflowEnvironment;
beforeAll(async () => {
  temporal = await startTemporal();
});
afterAll(() => temporal.teardown());

const worker = (workflowBundle: WorkflowBundleWithSourceMap): Promise<Worker> =>
  Worker.create({
    connection: temporal.nativeConnection,
    taskQueue,
    workflowBundle,
    // What one worker leaves is the other's at once.
    stickyQueueScheduleToStartTimeout: '100 ms',
  });

it('knows a run that no worker can replay, and ends its workflow', async () => {
  const client = atHome(temporal.client, taskQueue);
  expect(await isStuckRun(client, run)).toBe(false);
  const another = fileURLToPath(
    new URL('../../support/workflows/another-workflow.ts', import.meta.url),
  );
  const other = await worker(await bundleWorkflows(another));
  const handle = await startRun(client, manifest);
  await other.runUntil(() =>
    eventually(async () => {
      const { events } = await handle.fetchHistory();
      return events?.some((event) => event.timerStartedEventAttributes) ? true : null;
    }),
  );
  expect(await isStuckRun(client, run)).toBe(false);

  await handle.signal('anything');
  await (
    await worker(await bundleWorkflows())
  ).runUntil(() => eventually(async () => ((await isStuckRun(client, run)) ? true : null)));
  expect(await queryLive(client, { run, folder: null })).toEqual({ kind: 'stuck' });

  await endStuckRun(client, run);
  expect((await handle.describe()).status.name).toBe('TERMINATED');
  await endStuckRun(client, run);
});
