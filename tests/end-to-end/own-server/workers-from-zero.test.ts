import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import getPort from 'get-port';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resultSchema } from '../../../domain/agent/question-result.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import {
  checkout,
  eventually,
  jsonLines,
  newHome,
  turnwise,
  type Finished,
  type Running,
} from '../../support/command-line.js';

import { startTemporal } from '../../support/temporal.js';

const home = newHome();
const examples = join(checkout, 'examples/database-qa');
let temporal: TestWorkflowEnvironment;
let model: SimulatedModel;
const workers: Running[] = [];

const settings = (): Record<string, string> => ({
  TURNWISE_HOME: home,
  TEMPORAL_ADDRESS: temporal.address,
  OPENAI_BASE_URL: model.url,
});
const command = (...args: readonly string[]): Promise<Finished> =>
  turnwise(args, settings()).finished;

/** As the loop of docs/how-to/services.md does: a worker while tasks wait, and none when it has nothing to do. */
async function keepWorkers(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { stdout, status } = await command('worker', '--backlog');
    if (status !== 0 || Number(stdout) === 0) continue;
    const worker = turnwise(['worker', '--until-idle', '2s'], settings());
    workers.push(worker);
    await worker.finished;
  }
}

const results = () =>
  jsonLines(join(home, 'runs/zero/results.jsonl')).map((line) => resultSchema.parse(line));

beforeAll(async () => {
  temporal = await startTemporal();
  model = await startSimulatedModel({ script: join(examples, 'replies.json'), latencyMs: 300 });
});
afterAll(async () => {
  for (const { child } of workers) child.kill('SIGTERM');
  await Promise.all(workers.map(({ finished }) => finished));
  await temporal.teardown();
  await model.close();
});

it('answers a run with workers that come when tasks wait, and end when nothing is left to do', async () => {
  const ending = new AbortController();
  const keeping = keepWorkers(ending.signal);
  const asked = ['run', join(examples, 'questions.jsonl'), '--method', 'sequential', '--detach'];
  const started = await command(
    ...[...asked, '--run', 'zero', '--model', 'large'],
    ...['--concurrency', '2', '--no-probe'],
  );
  expect(started.status, started.stderr).toBe(0);
  for (const answered of [5, 10]) {
    await eventually(() => (results().length >= answered ? true : null));
    await command('pause', 'zero');
    // Nothing wakes it while it is paused, but for what was on its way to a worker that ended.
    const worked = await eventually(async () => {
      const all = workers.length;
      await workers.at(-1)?.finished;
      const { stdout } = await command('worker', '--backlog');
      return workers.length === all && stdout === '0\n' ? all : null;
    });
    await command('resume', 'zero');
    await eventually(() => (workers.length > worked ? true : null));
  }
  const samples = jsonLines(join(examples, 'questions.jsonl')).length;
  await eventually(() => (results().length === samples ? true : null));
  ending.abort();
  await keeping;
  expect(new Set(results().map(({ uuid, epoch }) => `${uuid} ${epoch}`)).size).toBe(samples);
  const calls = results().reduce((sum, { usage }) => sum + usage.calls, 0);
  expect(model.stats().completed).toBe(calls);
  for (const worker of workers) {
    expect(await worker.finished).toMatchObject({ status: 0 });
    expect(worker.output()).toContain('nothing is left to do: this worker ends');
  }
});

it('says whether it can work, and what keeps it from that', async () => {
  const port = await getPort();
  const worker = turnwise(['worker'], {
    ...settings(),
    ...{ TURNWISE_PROBES: `127.0.0.1:${port}`, TURNWISE_LOG: 'json' },
  });
  workers.push(worker);
  const ready = async (): Promise<{ readonly ok: boolean; readonly home: string | null }> => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`);
    return (await response.json()) as Awaited<ReturnType<typeof ready>>;
  };
  const state = await eventually(() => ready().catch(() => null));
  expect(state).toEqual({ ok: true, home: null, temporal: null, polling: null });
  const away = `${home}-away`;
  renameSync(home, away);
  mkdirSync(home);
  expect(await ready()).toMatchObject({
    ok: false,
    home: expect.stringContaining('has no home.json') as string,
  });
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  worker.child.kill('SIGTERM');
  await worker.finished;
  for (const line of worker.output().trim().split('\n')) {
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) as string });
  }
});

it('ends when the command that started it is killed', async () => {
  const port = await getPort();
  const worker = turnwise(['worker'], {
    ...settings(),
    TURNWISE_PROBES: `127.0.0.1:${port}`,
  });
  workers.push(worker);
  const answers = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => true,
      () => false,
    );
  await eventually(async () => (await answers()) || null);
  worker.child.kill('SIGKILL');
  await eventually(async () => ((await answers()) ? null : true));
});
