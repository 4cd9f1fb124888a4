import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resultSchema } from '../../../domain/agent/question-result.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import {
  checkout,
  eventually,
  jsonLines,
  newHome,
  program,
  turnwise,
  type Running,
} from '../../support/command-line.js';
import { startHeldModel, type HeldModel } from '../../support/fakes/held-model.js';
import { newerVersion, withStatement } from '../../support/newer-version.js';
import { startTemporal, temporalCli } from '../../support/temporal.js';

const home = newHome();
const examples = join(checkout, 'examples/database-qa');
const deployment = 'turnwise-trial';
let temporal: TestWorkflowEnvironment;
let inner: SimulatedModel;
let model: HeldModel;
const workers: Running[] = [];

const settings = (): Record<string, string> => ({
  TURNWISE_HOME: home,
  TEMPORAL_ADDRESS: temporal.address,
  OPENAI_BASE_URL: model.url,
});

function startWorker(build: string, installed = checkout): Running {
  const worker = program([join(installed, 'bin/turnwise.js'), 'worker'], {
    ...settings(),
    TEMPORAL_DEPLOYMENT_NAME: deployment,
    TEMPORAL_WORKER_BUILD_ID: build,
  });
  workers.push(worker);
  return worker;
}

/** As an operator does once a version is ready, or Temporal's controller in a cluster. */
async function makeCurrent(build: string): Promise<void> {
  const cli = await temporalCli();
  await eventually(() =>
    promisify(execFile)(cli, [
      ...['worker', 'deployment', 'set-current-version', '--address', temporal.address],
      ...['--deployment-name', deployment, '--build-id', build, '--yes'],
    ]).catch(() => null),
  );
}

const results = () =>
  jsonLines(join(home, 'runs/versions/results.jsonl')).map((line) => resultSchema.parse(line));

beforeAll(async () => {
  temporal = await startTemporal();
  inner = await startSimulatedModel({ script: join(examples, 'replies.json') });
  model = await startHeldModel(inner);
});
afterAll(async () => {
  for (const { child } of workers) child.kill('SIGTERM');
  await Promise.all(workers.map(({ finished }) => finished));
  await temporal.teardown();
  model.close();
  await inner.close();
});

it('works as a version of a deployment, whose open questions move on to the next one', async () => {
  startWorker('one');
  await makeCurrent('one');
  const questions = 3;
  model.releaseOnly(() => false);
  const run = ['run', join(examples, 'questions.jsonl'), '--method', 'sequential', '--detach'];
  const started = await turnwise(
    [...run, '--run', 'versions', '--limit', String(questions), '--model', 'large', '--no-probe'],
    settings(),
  ).finished;
  expect(started.status, started.stderr).toBe(0);
  await eventually(() => (model.held().length === questions ? true : null));

  const log = startWorker(
    'two',
    newerVersion(join(home, 'newer'), (bundle) =>
      withStatement(
        bundle,
        'async function answerQuestionWorkflow(',
        'await new Promise((resolve) => setTimeout(resolve, 10));',
      ),
    ),
  );
  await makeCurrent('two');
  model.releaseOnly(() => true);
  await eventually(() => (results().length === questions ? true : null));
  expect(results().map(({ outcome }) => outcome.kind)).toEqual(Array(questions).fill('answered'));
  const calls = results().reduce((sum, { usage }) => sum + usage.calls, 0);
  expect(inner.stats().completed).toBe(calls);
  expect(log.output()).toMatch(/q\/.*: its workflow cannot go on: this version cannot replay it/);
  for await (const { memo } of temporal.client.workflow.list({
    query: "WorkflowType = 'answerQuestionWorkflow' AND ExecutionStatus = 'Completed'",
  })) {
    expect(memo).toMatchObject({ restarts: { build: 'two', count: 1 } });
  }
});
