import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ingestExamplePapers } from '../../bench/example-store.js';
import { kill, servicesOf } from '../../bench/chaos/command-line.js';
import { conversationsOf, datasetOf } from '../../bench/question-run.js';
import { RunFolder } from '../../client/runs/run-folder.js';
import { runIdSchema } from '../../domain/ids.js';
import { apiFacts, type ModelApi } from '../../domain/model-api.js';
import type { SimulatorSettings } from '../../simulator/simulator-options.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import {
  eventually,
  newHome,
  turnwise,
  untilReady,
  type Finished,
  type Running,
} from '../support/command-line.js';

const models: SimulatedModel[] = [];
afterAll(() => Promise.all(models.map((model) => model.close())));

/** Longer than it takes to kill all and start again on a busy machine. */
const batchMs = 8_000;

/** A run in batches, as its command starts it, and starts it again. */
async function batchedRun(
  api: ModelApi,
  {
    questions,
    turns,
    options,
    home = newHome(),
    ...settings
  }: SimulatorSettings & {
    readonly questions: number;
    readonly turns: number;
    readonly options: readonly string[];
    readonly home?: string;
  },
) {
  const model = await startSimulatedModel({
    ...{ script: conversationsOf(turns), batchMs },
    ...settings,
  });
  models.push(model);
  writeFileSync(join(home, 'turnwise.yaml'), 'prices:\n  priced: { input: 1, output: 2 }\n');
  const dataset = join(home, 'questions.jsonl');
  writeFileSync(dataset, datasetOf(questions));
  const environment = {
    TURNWISE_HOME: home,
    TURNWISE_BATCH_PAUSE: '3',
    [apiFacts[api].addressVariable]: model.urls[api],
  };
  const args = ['run', dataset, '--run', api, '--batch', '--api', api, '--model', 'priced'];
  const start = (): Running => turnwise([...args, ...options], environment);
  const folder = new RunFolder(home, runIdSchema.parse(api), home);
  return { model, start, home, environment, args, folder };
}

type Batched = Awaited<ReturnType<typeof batchedRun>>;

/** Kills the commands, the supervisor, the worker and the servers. */
async function killAll(home: string, running: readonly Running[]): Promise<void> {
  const record = servicesOf(home);
  const pids = [record?.supervisor, ...(record?.services ?? [])].map((one) => one?.pid ?? 0);
  for (const pid of [...running.map(({ child }) => child.pid ?? 0), ...pids])
    if (pid > 0) kill(pid);
  await Promise.all(running.map(({ finished }) => finished));
}

const has = (model: SimulatedModel, count: 'batches' | 'received', atLeast: number) =>
  eventually(() => Promise.resolve(model.stats()[count] >= atLeast || null));

/** Kills all while a batch is out, and starts again when the provider has answered it. */
async function outlive({ model, home, start }: Batched, running: Running, batch: number) {
  await has(model, 'batches', batch);
  await killAll(home, [running]);
  await has(model, 'received', model.stats().received + 1);
  return start();
}

/** What the run and its provider say was paid, in US dollars. */
async function paid({ model, folder }: Batched) {
  const { promptTokens: prompt, completionTokens: completion, ...stats } = model.stats();
  const batched = stats.batchedPromptTokens + 2 * stats.batchedCompletionTokens;
  const results = await folder.results();
  const { probes, spent } = await folder.manifest();
  return {
    billed: (prompt + 2 * completion - batched / 2) / 1e6,
    half: batched / 2 / 1e6,
    stored: results.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0),
    probes: probes.costUsd ?? 0,
    spent: spent?.usd ?? 0,
    ended: new Set(results.map(({ uuid }) => uuid)).size,
  };
}

describe('200 questions in batches of each API at once', () => {
  const apis = ['chat', 'anthropic', 'gemini'] as const;
  const home = newHome();
  let runs: ReadonlyMap<string, Batched>;
  let ends: readonly Finished[];

  beforeAll(async () => {
    const asked = { questions: 200, turns: 1, expiringBatches: 1, home };
    const options = ['--method', 'trivial_question_only', '--budget-usd', '5'];
    const all = await Promise.all(apis.map((api) => batchedRun(api, { ...asked, options })));
    runs = new Map(apis.map((api, at) => [api, all[at] as Batched]));
    const addresses = Object.assign(
      {},
      ...all.map(({ environment }) => environment),
    ) as Batched['environment'];
    const start = async (): Promise<readonly Running[]> => {
      const up = turnwise(['up'], addresses);
      await untilReady(up);
      return [...all.map((run) => run.start()), up];
    };
    const running = await start();
    // Gemini answers nothing of a batch that expires.
    await Promise.all(
      apis.map((api, at) =>
        has(all[at]?.model as SimulatedModel, 'batches', api === 'gemini' ? 2 : 1),
      ),
    );
    await killAll(home, running);
    const again = await start();
    ends = await Promise.all(again.slice(0, -1).map(({ finished }) => finished));
    again.at(-1)?.child.kill('SIGINT');
    await again.at(-1)?.finished;
  });

  it.each(apis.map((api, at) => [api, at] as const))(
    '%s: cost half, and nothing twice, where all is killed and a batch expires in the middle',
    async (api, at) => {
      const run = runs.get(api) as Batched;
      expect(ends[at]?.status, ends[at]?.stderr).toBe(0);
      expect(ends[at]?.stdout).toContain('200 of 200 questions answered');
      const { completed, distinctCompleted, probes } = run.model.stats();
      expect(completed - probes).toBe(200);
      expect(completed - distinctCompleted).toBe(0);
      const { billed, half, stored, probes: probed, spent, ended } = await paid(run);
      expect(ended).toBe(200);
      expect(stored).toBeCloseTo(half, 9);
      expect(billed - stored - probed).toBeCloseTo(0, 9);
      expect(spent).toBeCloseTo(billed, 9);
    },
  );
});

describe('an agent of several turns in batches', () => {
  it('goes on where it was when all is killed, a batch for each turn', async () => {
    const home = newHome();
    await ingestExamplePapers(home, () => undefined);
    const run = await batchedRun('chat', {
      ...{ questions: 50, turns: 2, home, options: ['--store', 'examples'] },
    });
    let running = run.start();
    for (const batch of [1, 2]) running = await outlive(run, running, batch);
    const last = await running.finished;
    expect(last.status, last.stderr).toBe(0);
    expect(last.stdout).toContain('50 of 50 questions answered');
    const { completed, distinctCompleted, probes } = run.model.stats();
    expect(completed - probes).toBe(100);
    expect(completed).toBe(distinctCompleted);
    const { billed, stored, probes: probed } = await paid(run);
    expect(billed - stored - probed).toBeCloseTo(0, 9);
  });
});

describe('--batch', () => {
  it('forecasts both prices and times', async () => {
    const run = await batchedRun('chat', {
      ...{ questions: 30, turns: 1, options: ['--method', 'trivial_question_only', '--dry-run'] },
    });
    const { stdout, status } = await run.start().finished;
    expect(status).toBe(0);
    expect(stdout).toMatch(/│? *time +│? *up to 1 day/);
    expect(stdout).toContain('cost without --batch');
  });

  it('is refused beside --stream, and for an API that has no batches', async () => {
    const run = await batchedRun('chat', { questions: 1, turns: 1, options: [] });
    run.args.push('--method', 'trivial_question_only');
    const streamed = await turnwise([...run.args, '--stream'], run.environment).finished;
    expect(streamed).toMatchObject({ status: 2 });
    expect(streamed.stderr).toContain('--stream has no effect with --batch');
    const elsewhere = { ...run.environment, OPENAI_BASE_URL: `${run.model.url}/nowhere` };
    const { status, stderr } = await turnwise(run.args, elsewhere).finished;
    expect(status).toBe(2);
    expect(stderr).toContain('has no batches for priced: leave out --batch');
  });
});
