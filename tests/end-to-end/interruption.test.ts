import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import { killService, servicesOf } from '../../bench/chaos/command-line.js';
import { RunFolder } from '../../client/runs/run-folder.js';
import { resultSchema, type Result } from '../../domain/agent/question-result.js';
import { runIdSchema } from '../../domain/ids.js';
import {
  checkout,
  eventually,
  jsonLines,
  newHome,
  turnwise,
  type Running,
  untilReady,
} from '../support/command-line.js';

const examples = join(checkout, 'examples');
const home = newHome();
const question = join(examples, 'questions.jsonl');
let model: SimulatedModel;
let settings: Record<string, string>;
let up: Running;

beforeAll(async () => {
  model = await startSimulatedModel({ latencyMs: 1000, script: join(examples, 'replies.json') });
  settings = { TURNWISE_HOME: home, OPENAI_BASE_URL: model.url };
  up = turnwise(['up'], settings);
  await untilReady(up);
  const ingested = turnwise(
    ['store', 'add', join(examples, 'papers'), '--store', 'papers'],
    settings,
  );
  expect(await ingested.finished).toMatchObject({ status: 0 });
});

afterAll(async () => {
  up.child.kill('SIGINT');
  await up.finished;
  await model.close();
});

const resultsOf = (run: string): readonly Result[] =>
  jsonLines(join(home, 'runs', run, 'results.jsonl')).map((line) => resultSchema.parse(line));

it('Ctrl-C ends the command in one sentence and leaves the run to the services, which finish it', async () => {
  const run = turnwise(['run', question, '--store', 'papers', '--run', 'left'], settings);
  await eventually(() => (model.stats().received >= 5 ? true : null));
  run.child.kill('SIGINT');
  const { status, stdout, stderr } = await run.finished;
  expect(status).toBe(130);
  expect(stdout).toBe('');
  expect(stderr).toMatch(
    /turnwise: no longer watching; what is under way goes on.*`turnwise status left --watch` follows a run.*\n$/,
  );
  expect(stderr).not.toMatch(/^\s+at /m);

  const watched = await turnwise(['status', 'left', '--watch'], settings).finished;
  expect(watched.status).toBe(0);
  expect(watched.stdout).toContain('24 of 24 questions answered\nmean score 1.000 over 24 scored');
});

it('Ctrl-C before a run has begun says that it was not started', async () => {
  const slow = await startSimulatedModel({
    latencyMs: 60_000,
    script: join(examples, 'replies.json'),
  });
  const args = ['run', question, '--store', 'papers', '--run', 'early', '--limit', '1'];
  const run = turnwise(args, { ...settings, OPENAI_BASE_URL: slow.url });
  // The probe, which shows whether the run can ask at all.
  await eventually(() => (slow.stats().received >= 1 ? true : null));
  run.child.kill('SIGINT');
  const { status, stderr } = await run.finished;
  await slow.close();
  expect(status).toBe(130);
  expect(stderr).toMatch(/turnwise: run early was not started: the same command starts it\n$/);
  expect(await turnwise(args, settings).finished).toMatchObject({ status: 0 });
});

it('two terminals may give the same run at once: both see its end, and no call is made twice', async () => {
  const before = model.stats().received;
  const named = ['run', question, '--store', 'papers', '--run', 'shared', '--limit', '4'];
  const args = [...named, '--no-probe'];
  const [one, other] = await Promise.all([
    turnwise(args, settings).finished,
    turnwise(args, settings).finished,
  ]);
  expect(one).toMatchObject({ status: 0, stdout: other.stdout });
  expect(one.stdout).toContain('4 of 4 questions answered');
  expect(model.stats().received - before).toBe(10);
});

it('goes on anew from a turn, and repeats a whole run without its model', async () => {
  const args = ['run', question, '--store', 'papers', '--limit', '4'];
  const first = await turnwise([...args, '--run', 'origin'], settings).finished;
  expect(first).toMatchObject({ status: 0 });
  const before = model.stats().received;
  const forking = ['fork', 'origin', '--from-turn', '2', '--model', 'another', '--json'];
  const forked = await turnwise(forking, settings).finished;
  expect(forked, forked.stderr).toMatchObject({ status: 0 });
  expect(forked.stderr).toContain('4 questions of run origin go on anew from turn 2');
  expect(forked.stdout).toContain('"run": "origin-fork-1"');
  // Of ten calls the first of each question is kept, and the other model is probed.
  expect(model.stats().received - before).toBe(7);

  const replaying = [...args, '--replay', 'origin'];
  const replayed = await turnwise(replaying, { TURNWISE_HOME: home }).finished;
  expect(replayed, replayed.stderr).toMatchObject({ status: 0 });
  expect(model.stats().received - before).toBe(7);
  const answers = (run: string): readonly unknown[] =>
    resultsOf(run)
      .map(({ uuid, answer, turns }) => `${uuid} ${turns} ${answer}`)
      .toSorted();
  expect(answers('origin-replay')).toEqual(answers('origin'));
  expect(answers('origin')).toHaveLength(4);

  // What is asked anew of a repeated run is asked of the model.
  const again = await turnwise(['fork', 'origin-replay', '--from-turn', '2'], settings).finished;
  expect(again, again.stderr).toMatchObject({ status: 0 });
  expect(model.stats().received - before).toBe(14);
});

it('a retry takes up what a deadline has ended, and the deadline holds no more', async () => {
  const outcomes = (): ReadonlyMap<string, string> =>
    new Map(resultsOf('late').map(({ uuid, outcome }) => [uuid, outcome.kind]));
  // One call a second, of which eight questions need more than the deadline leaves.
  const deadline = new Date(Date.now() + 10_000).toISOString();
  const args = ['run', question, '--store', 'papers', '--run', 'late', '--limit', '8'];
  const limits = ['--concurrency', '1', '--deadline', deadline];
  expect(await turnwise([...args, ...limits], settings).finished).toMatchObject({ status: 1 });
  const [late] = [...outcomes()].findLast(([, outcome]) => outcome === 'deadline') ?? [];

  const again = await turnwise(['retry', 'late', '--question', String(late)], settings).finished;
  expect(again).toMatchObject({
    status: 0,
    stderr: `the run's deadline, ${deadline}, is past and holds no more\n`,
  });
  await turnwise(['status', 'late', '--watch'], settings).finished;
  expect(outcomes().get(String(late))).toBe('answered');
  expect(outcomes().size).toBe(8);
  expect(readFileSync(join(home, 'runs/late/manifest.json'), 'utf8')).toMatch(/"deadline": ?null/);
});

it('a look at a run without services starts none, and a watch of one that has not ended says so', async () => {
  const alone = { TURNWISE_HOME: newHome() };
  const folder = join(alone.TURNWISE_HOME, 'runs', 'left');
  cpSync(join(home, 'runs', 'left'), folder, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as object;
  const asIf = (change: object): void =>
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, ...change }));
  asIf({ status: 'running', totals: null, endedAt: null });
  const look = await turnwise(['status', 'left', '--json'], alone).finished;
  expect(look).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(look.stdout)).toMatchObject({ ended: 24, live: { kind: 'no-services' } });
  const watch = await turnwise(['status', 'left', '--watch'], alone).finished;
  expect(watch).toMatchObject({
    status: 3,
    stdout: '',
    stderr: expect.stringMatching(/^turnwise: no services run, .*`turnwise up`.*\n$/) as unknown,
  });
  expect(readdirSync(alone.TURNWISE_HOME)).toEqual(['runs']);
  asIf({ status: 'cancelled' });
  expect((await turnwise(['status', 'left', '--watch'], alone).finished).status).toBe(1);
  // As if it had been cancelled before its last question ended.
  const results = join(folder, 'results.jsonl');
  writeFileSync(results, readFileSync(results, 'utf8').split('\n').slice(1).join('\n'));
  expect(await turnwise(['retry', 'left', '--outcome', 'answered'], alone).finished).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('1 of its questions had ended') as unknown,
  });
});

it('a run whose services cannot be kept alive says so and ends', async () => {
  const alone = { ...settings, TURNWISE_HOME: newHome() };
  cpSync(join(home, 'stores'), join(alone.TURNWISE_HOME, 'stores'), { recursive: true });
  const args = ['run', question, '--store', 'papers', '--run', 'given-up', '--limit', '2'];
  const run = turnwise(args, alone);
  let isOver = false;
  void run.finished.then(() => (isOver = true));
  await eventually(() => (servicesOf(alone.TURNWISE_HOME)?.kind === 'ready' ? true : null));
  await eventually(() => {
    killService(alone.TURNWISE_HOME, 'milvus');
    return isOver ? true : null;
  });
  const { status, stderr } = await run.finished;
  expect(status).toBe(3);
  expect(stderr).toMatch(/turnwise: The milvus service died again and again and was given up/);
  expect(stderr.match(/given up/g)).toHaveLength(1);
});

it('a run can be watched from a machine that has none of its files', async () => {
  const { temporalAddress } = JSON.parse(
    readFileSync(join(home, 'services.json'), 'utf8'),
  ) as Record<string, string>;
  const elsewhere = { TURNWISE_HOME: newHome(), TEMPORAL_ADDRESS: String(temporalAddress) };
  const args = ['run', question, '--store', 'papers', '--run', 'far', '--limit', '2', '--detach'];
  expect((await turnwise(args, settings).finished).status).toBe(0);
  const watched = await turnwise(['status', 'far', '--watch'], elsewhere).finished;
  expect(watched).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^2 of 2 questions answered\n/) as unknown,
  });
  expect((await turnwise(['status', 'nowhere'], elsewhere).finished).stderr).toMatch(
    /no run nowhere/,
  );
});

/** Settings by which a worker of its own uses the services that run. */
function elsewhere(): Record<string, string> {
  const { temporalAddress, milvusAddress } = JSON.parse(
    readFileSync(join(home, 'services.json'), 'utf8'),
  ) as Record<string, string>;
  return {
    ...settings,
    TEMPORAL_ADDRESS: String(temporalAddress),
    MILVUS_ADDRESS: String(milvusAddress),
  };
}

it('a worker serves the queues that are named, and ends when it is asked to', async () => {
  const refused = await turnwise(['worker', '--queues', 'one,,two'], elsewhere()).finished;
  expect(refused).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('such as a,b') as unknown,
  });
  const worker = turnwise(['worker', '--queues', 'one, two'], elsewhere());
  const args = ['run', question, '--store', 'papers', '--run', 'queued', '--limit', '1'];
  const onTwo = { ...elsewhere(), TURNWISE_TASK_QUEUE: 'two' };
  expect(await turnwise(args, onTwo).finished).toMatchObject({ status: 0 });
  worker.child.kill('SIGTERM');
  expect(await worker.finished).toMatchObject({ status: 0 });
});

it('a worker that is asked to end stores what its calls come to, and begins no other', async () => {
  const worker = turnwise(['worker', '--queues', 'ending'], elsewhere());
  const onQueue = { ...elsewhere(), TURNWISE_TASK_QUEUE: 'ending' };
  const before = model.stats().received;
  const named = ['run', question, '--store', 'papers', '--run', 'ended', '--limit', '4'];
  const args = [...named, '--detach', '--no-probe'];
  expect(await turnwise(args, onQueue).finished).toMatchObject({ status: 0 });
  const received = (): number => model.stats().received - before;
  // Four first calls, and one that is made beside its question's workflow.
  await eventually(() => (received() >= 5 ? true : null));
  worker.child.kill('SIGTERM');
  expect(await worker.finished).toMatchObject({ status: 0 });
  expect(received()).toBeLessThan(11);
  const folder = new RunFolder(home, runIdSchema.parse('ended'));
  const stored = (await folder.items()).map(({ uuid }) => folder.repliedTurns({ uuid, epoch: 1 }));
  expect((await Promise.all(stored)).flat()).toHaveLength(received());
});

it('a worker that is asked to end waits for calls that are paid for, however long they take', async () => {
  // Longer than other work may go on.
  const slow = await startSimulatedModel({
    latencyMs: 16_000,
    script: join(examples, 'replies.json'),
  });
  const onQueue = { ...elsewhere(), OPENAI_BASE_URL: slow.url, TURNWISE_TASK_QUEUE: 'slow' };
  const worker = turnwise(['worker', '--queues', 'slow'], onQueue);
  const named = ['run', question, '--store', 'papers', '--run', 'slow', '--limit', '4'];
  const args = [...named, '--detach', '--no-probe'];
  expect(await turnwise(args, onQueue).finished).toMatchObject({ status: 0 });
  await eventually(() => (slow.stats().received >= 4 ? true : null));
  worker.child.kill('SIGTERM');
  expect(await worker.finished).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('waiting for 4 model calls in flight') as unknown,
  });
  const folder = new RunFolder(home, runIdSchema.parse('slow'));
  const stored = (await folder.items()).map(({ uuid }) => folder.repliedTurns({ uuid, epoch: 1 }));
  expect((await Promise.all(stored)).flat()).toHaveLength(4);
  expect(slow.stats().received).toBe(4);
  await slow.close();
});

it('a second `up` says whose services run already, and touches nothing', async () => {
  const { status, stderr } = await turnwise(['up'], settings).finished;
  expect(status).toBe(2);
  expect(stderr).toMatch(/run already, under process \d+: use them as they are/);
});
