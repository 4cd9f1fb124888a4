import { fileURLToPath } from 'node:url';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { queryLive } from '../../../client/runs/query-run.js';
import { restartIfStuck, resultOf } from '../../../client/runs/restarted.js';
import { startRun, type RunHandle } from '../../../client/runs/start-run.js';
import {
  itemWorkflowId,
  datasetNameSchema,
  itemIdSchema,
  runWorkflowId,
} from '../../../domain/ids.js';
import { mostRestarts } from '../../../domain/stuck-workflow.js';
import { findWorkflow } from '../../../temporal/stuck-workflows.js';
import { WorkerLogger } from '../../../worker/operation/log.js';
import { restartStuckWorkflows } from '../../../worker/restart-stuck.js';
import { eventually } from '../../support/command-line.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { bundleWorkflows, startTemporal } from '../../support/temporal.js';
import { atHome, testHome } from '../../support/test-home.js';

const taskQueue = 'stuck';
const manifest = exampleManifest();
const { run } = manifest;
const inSupport = (name: string): string =>
  fileURLToPath(new URL(`../../support/workflows/${name}.ts`, import.meta.url));
let temporal: TestWorkflowEnvironment;
beforeAll(async () => {
  temporal = await startTemporal();
});
afterAll(() => temporal.teardown());

const worker = (workflowBundle: WorkflowBundleWithSourceMap, buildId: string): Promise<Worker> =>
  Worker.create({
    connection: temporal.nativeConnection,
    taskQueue,
    workflowBundle,
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- as in a worker's process
    buildId,
    // What one worker leaves is the other's at once.
    stickyQueueScheduleToStartTimeout: '100 ms',
  });

const runIdOf = async (handle: RunHandle): Promise<string> => (await handle.describe()).runId;

it('starts a run again that this version cannot replay, with what it was told', async () => {
  const client = atHome(temporal.client, taskQueue);
  const workflowId = runWorkflowId(testHome, run);
  expect(await findWorkflow(client, workflowId)).toEqual({ kind: 'absent' });
  const other = await worker(await bundleWorkflows(inSupport('another-workflow')), 'before');
  const handle = await startRun(client, manifest);
  await other.runUntil(() =>
    eventually(async () => {
      const { events } = await handle.fetchHistory();
      return events?.some((event) => event.timerStartedEventAttributes) ? true : null;
    }),
  );
  expect(await findWorkflow(client, workflowId)).toEqual({ kind: 'open', restarts: null });
  expect(await restartIfStuck(client, workflowId)).toBeNull();

  await handle.cancel();
  const before = await runIdOf(handle);
  await (
    await worker(await bundleWorkflows(), 'now')
  ).runUntil(async () => {
    const stuck = await eventually(async () => {
      const found = await findWorkflow(client, workflowId);
      return found.kind === 'stuck' ? found.stuck : null;
    });
    expect(stuck).toMatchObject({ workflowId, build: 'now', restarts: 0 });
    expect(stuck.cause).toMatch(/^this version cannot replay it \(nondeterminism: /);
    expect(await queryLive(client, { run, folder: null })).toMatchObject({
      kind: 'stuck',
      why: expect.stringContaining('started again from its files') as string,
    });
    expect(await restartIfStuck(client, workflowId)).toEqual(stuck);
    expect(await runIdOf(handle)).not.toBe(before);
    // As it was asked to before.
    await expect(resultOf(handle)).rejects.toThrow('cancelled');
  });
  const { memo, typedSearchAttributes, status, raw } = await handle.describe();
  expect(status.name).toBe('CANCELLED');
  expect(memo).toMatchObject({ restarts: { build: 'now', count: 1 } });
  expect(typedSearchAttributes.getAll()).toContainEqual(
    expect.objectContaining({ value: run }) as unknown,
  );
  expect(Number(raw.executionConfig?.defaultWorkflowTaskTimeout?.seconds)).toBe(5);
});

it('starts what throws in workflow code again three times, then leaves it to another version, and ends a question', async () => {
  const client = atHome(temporal.client, taskQueue);
  const item = itemWorkflowId(testHome, datasetNameSchema.parse('d'), itemIdSchema.parse('i'));
  const question = `${runWorkflowId(testHome, run)}/q/a/e/1`;
  const stop = new AbortController();
  const said: string[] = [];
  const { suspects } = new WorkerLogger({ TURNWISE_LOG: 'text', TURNWISE_LOG_LEVEL: 'ERROR' });
  const broken = await worker(await bundleWorkflows(inSupport('broken-workflows')), 'broken');
  await broken.runUntil(async () => {
    const start = (type: string, workflowId: string): Promise<unknown> =>
      client.workflow.start(type, {
        ...{ workflowId, taskQueue, workflowTaskTimeout: '1 second' },
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        args: [{ id: 'i', item: { carried: true } }],
      });
    await start('datasetItemWorkflow', item);
    await start('answerQuestionWorkflow', question);
    const restarting = restartStuckWorkflows(
      { client, home: testHome, suspects, say: (sentence) => said.push(sentence) },
      stop.signal,
    );
    await eventually(async () => {
      // As the log of the worker would say.
      for await (const { runId } of client.workflow.list({
        query: "ExecutionStatus = 'Running'",
      })) {
        suspects.add(runId);
      }
      const found = await findWorkflow(client, item);
      const closed = await findWorkflow(client, question);
      return found.kind === 'stuck' &&
        found.stuck.restarts === mostRestarts &&
        closed.kind === 'closed'
        ? true
        : null;
    });
    stop.abort();
    await restarting;
  });
  expect(said).toHaveLength(2 * (mostRestarts + 1));
  expect(said.at(-1)).toMatch(
    /its workflow cannot go on: TypeError: .*atob is not a function \(workflow code\); it was started again 3 times, and waits for a worker of another version$/,
  );
  const { args } = await client.workflow
    .getHandle(item)
    .fetchHistory()
    .then(({ events }) => ({
      args: JSON.parse(
        Buffer.from(
          events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data ?? '',
        ).toString(),
      ) as unknown,
    }));
  expect(args).toEqual({ id: 'i' });
  const ended = client.workflow.getHandle(item);
  await ended.terminate();
  await expect(resultOf(ended)).rejects.toThrow();
}, 120_000);
