import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { itemFile } from '../../../domain/building/build.js';
import { itemSchema, type Item } from '../../../domain/building/item.js';
import { resultSchema, type Result } from '../../../domain/agent/question-result.js';
import { datasetNameSchema, itemIdSchema } from '../../../domain/ids.js';
import { readScript } from '../../../simulator/script.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import {
  checkout,
  eventually,
  jsonLines,
  newHome,
  program,
  turnwise,
  type Finished,
  type Running,
  untilReady,
} from '../../support/command-line.js';
import { withStatement, newerVersion } from '../../support/newer-version.js';

const home = newHome();
const examples = join(checkout, 'examples');
const dataset = datasetNameSchema.parse('trial');
const questions = 6;
const items = 3;
let model: SimulatedModel;
let up: Running;

async function startUp(installed = checkout): Promise<void> {
  up = program([join(installed, 'bin/turnwise.js'), 'up'], settings());
  await untilReady(up);
}

async function stopUp(): Promise<void> {
  up.child.kill('SIGINT');
  await up.finished;
}

const settings = (): Record<string, string> => ({
  TURNWISE_HOME: home,
  OPENAI_BASE_URL: model.url,
});

const command = (...args: readonly string[]): Promise<Finished> =>
  turnwise(args, settings()).finished;

async function succeeds(...args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await command(...args);
  expect(status, stderr).toBe(0);
  return stdout;
}

const resultsOf = (run: string): readonly Result[] =>
  jsonLines(join(home, 'runs', run, 'results.jsonl')).map((line) => resultSchema.parse(line));

const itemOf = (id: string): Item =>
  itemSchema.parse(
    JSON.parse(readFileSync(join(home, itemFile(dataset, itemIdSchema.parse(id))), 'utf8')),
  );

const startRun = (run: string, limit: number): Promise<string> =>
  succeeds(
    ...['run', join(examples, 'questions.jsonl'), '--store', 'papers', '--run', run],
    ...['--limit', String(limit), '--no-probe', '--detach'],
  );

/** A timer more at the beginning of each, so that none that is open can be replayed. */
const changed = [
  'async function answerQuestionWorkflow(',
  'async function runDatasetWorkflow(',
  // Not before it can take decisions.
  ')(control, annotators);',
];
const pause = 'await new Promise((resolve) => setTimeout(resolve, 10));';

beforeAll(async () => {
  const script = readScript(join(examples, 'database-qa/replies.json'));
  const { questions } = readScript(join(examples, 'replies.json'));
  model = await startSimulatedModel({ latencyMs: 1500, script: { ...script, questions } });
  await startUp();
  await succeeds('store', 'add', join(examples, 'papers'), '--store', 'papers');
});

afterAll(async () => {
  await stopUp();
  await model.close();
});

it('goes on after an upgrade with all that is open, and buys nothing again', async () => {
  const seeds = join(examples, 'database-qa/questions.jsonl');
  const build = ['dataset', 'build', seeds, '--dataset', dataset, '--model', 'large', '--yes'];
  await succeeds(...build, '--items', String(items), '--licence', 'CC0-1.0');
  const before = model.stats();
  await startRun('upgraded', questions);
  await eventually(() => (model.stats().received >= before.received + questions ? true : null));
  await stopUp();

  await startUp(
    newerVersion(join(home, 'newer'), (bundle) =>
      changed.reduce((text, part) => withStatement(text, part, pause), bundle),
    ),
  );
  // Nobody runs a command: a worker does it all.
  await eventually(() => (resultsOf('upgraded').length === questions ? true : null));
  const results = resultsOf('upgraded');
  expect(results.map(({ outcome }) => outcome.kind)).toEqual(
    results.map(() => 'answered' as const),
  );
  const calls = results.reduce((sum, { usage }) => sum + usage.calls, 0);
  expect(model.stats().completed - before.completed).toBe(calls);
  // As the worker's log says; otherwise this would have been no upgrade.
  const log = readFileSync(join(home, 'logs/worker.log'), 'utf8');
  expect(
    log.match(/q\/.*: its workflow cannot go on: this version cannot replay it/g),
  ).toHaveLength(questions);

  // Each gate becomes stuck with the decision that it gets.
  const gates = JSON.parse(await succeeds('dataset', 'gates', dataset, '--json')) as {
    readonly item: string;
  }[];
  expect(gates).toHaveLength(items);
  for (const { item } of gates) {
    const seen = ['--seen', String(itemOf(item).revision), '--by', 'ann'];
    await succeeds('dataset', 'confirm', dataset, item, ...seen, '--accept', '--wait');
    expect(itemOf(item)).toMatchObject({ state: 'awaiting-rows' });
    expect(itemOf(item).decisions).toHaveLength(1);
  }
  const { completed, distinctCompleted } = model.stats();
  expect(completed - distinctCompleted).toBe(0);
});

/** The checkout with an error in the code of a workflow. */
const brokenIn = (workflow: string): string =>
  newerVersion(join(home, workflow), (bundle) =>
    withStatement(bundle, `async function ${workflow}(`, "globalThis.atob('x');"),
  );

it('names an error in workflow code, and ends the question by it where another try does not help', async () => {
  await stopUp();
  await startUp(brokenIn('answerQuestionWorkflow'));
  await startRun('broken', 2);
  await eventually(() => (resultsOf('broken').length === 2 ? true : null));
  for (const { outcome } of resultsOf('broken')) {
    expect(outcome).toMatchObject({
      kind: 'infra-error',
      message: expect.stringContaining('started again 3 times') as string,
    });
  }
  expect((await command('status', 'broken')).stdout).toContain(
    'could not go on: TypeError: globalThis.atob is not a function (workflow code)',
  );
});

it('names an error in the workflow code of a run, which waits for another version', async () => {
  await stopUp();
  await startUp(brokenIn('runDatasetWorkflow'));
  await startRun('stuck', 1);
  const named = /cannot go on: TypeError: globalThis\.atob is not a function \(workflow code\)/;
  for (const args of [['status', 'stuck'], ['doctor']]) {
    await eventually(async () => (named.test((await command(...args)).stdout) ? true : null));
  }
  await stopUp();
  await startUp();
  await eventually(() => (resultsOf('stuck').length === 1 ? true : null));
});
