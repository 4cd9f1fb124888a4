import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelApis, type ModelApi } from '../../domain/model-api.js';
import { inBatches } from '../../domain/models/model-settings.js';
import { defaultRunConfig, type RunConfig } from '../../domain/runs/run-config.js';
import {
  pauseRunUpdate,
  progressQuery,
  resumeRunUpdate,
  tuneRunUpdate,
} from '../../workflows/messages.js';
import { defaultJudging } from '../../domain/scoring/judging/judging-config.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import type { SimulatorSettings } from '../../simulator/simulator-options.js';
import { eventually } from '../support/command-line.js';
import { keysForAll } from '../support/model-calls/keys-for-all.js';
import {
  startRunsWithEndpoints,
  type RunsUnderTest,
  type TestRun,
} from '../support/runs/runs-under-test.js';

const price = { input: 3, output: 7 };
const pauseMs = 250;
const models: SimulatedModel[] = [];
let runs: RunsUnderTest;

beforeAll(async () => {
  runs = await startRunsWithEndpoints(
    keysForAll({ apiKey: undefined, keyIsFor: 'http://127.0.0.1' }),
  );
});
afterAll(async () => {
  await runs.stop();
  for (const model of models) await model.close();
});

interface BatchedRun {
  readonly run: TestRun;
  readonly model: SimulatedModel;
  /** Dollars by the account of the provider. */
  readonly billed: () => number;
}

/** A run of `questions` that take `turns` turns, in batches. */
async function batchedRun(
  api: ModelApi,
  settings: SimulatorSettings,
  {
    questions = 6,
    turns = 2,
    ...config
  }: Partial<RunConfig> & { readonly questions?: number; readonly turns?: number } = {},
  isJudged = false,
): Promise<BatchedRun> {
  const script = { generated: { turns } };
  const model = await startSimulatedModel({ batchMs: 200, script, ...settings });
  models.push(model);
  const asked = { ...defaultRunConfig.model, api, name: 'm', baseUrl: model.urls[api], price };
  const names = Array.from({ length: questions }, (_, index) => `q${index}`);
  const batched = inBatches(asked, { pauseMs });
  const judging = { ...defaultJudging, models: [{ ...batched, name: 'judge' }] };
  const evaluator = {
    eval_func: 'eval_reference_answer_with_llm',
    eval_kwargs: { question: 'What?', reference_answer: 'that' },
  };
  const run = runs.runOf(
    names,
    questions,
    [],
    { model: batched, ...(isJudged && { judging }), ...config },
    () => (isJudged ? { evaluator } : {}),
  );
  const billed = (): number => {
    const { promptTokens, completionTokens, ...stats } = model.stats();
    const usd = promptTokens * price.input + completionTokens * price.output;
    const { batchedPromptTokens: prompt, batchedCompletionTokens: completion } = stats;
    return (usd - (prompt * price.input + completion * price.output) / 2) / 1e6;
  };
  return { run, model, billed };
}

describe.each(modelApis)('a run in batches of %s', (api) => {
  it('sends the calls of one turn together, at half the price', async () => {
    const { run, model, billed } = await batchedRun(api, {});
    const totals = await (await run.start()).result();
    expect(totals).toMatchObject({ outcomes: { answered: 6 }, turns: 12 });
    const stats = model.stats();
    expect(stats).toMatchObject({ completed: 12, distinctCompleted: 12, batches: 2 });
    expect(stats.batchedPromptTokens).toBe(stats.promptTokens);
    expect(totals.cost.usd).toBeCloseTo(billed(), 10);
    expect(run.manifest().spent?.usd).toBeCloseTo(billed(), 10);
  });

  it('collects the calls again that a batch has left when it expired', async () => {
    const { run, model, billed } = await batchedRun(api, { expiringBatches: 1 }, { turns: 1 });
    const totals = await (await run.start()).result();
    expect(totals.outcomes).toEqual({ answered: 6 });
    expect(model.stats()).toMatchObject({ completed: 6, distinctCompleted: 6, batches: 2 });
    expect(totals.cost.usd).toBeCloseTo(billed(), 10);
  });

  it('buys nothing twice when it is started again from its files while a batch is out', async () => {
    const { run, model, billed } = await batchedRun(api, { batchMs: 3_000 }, { turns: 1 });
    const before = await run.start();
    await eventually(() => Promise.resolve(model.stats().batches === 1 || null));
    await before.terminate('by hand');
    const totals = await (await run.start()).result();
    expect(totals.outcomes).toEqual({ answered: 6 });
    expect(model.stats()).toMatchObject({ completed: 6, distinctCompleted: 6, batches: 1 });
    expect(run.manifest().spent?.usd).toBeCloseTo(billed(), 10);
  });
});

describe('a run in batches', () => {
  it('waits where a batch is refused, and says why', async () => {
    const { run, model } = await batchedRun('chat', { refusedBatches: 3 }, { turns: 1 });
    const handle = await run.start();
    const { waiting } = await eventually(async () => {
      const progress = await handle.query(progressQuery);
      return progress.waiting.some(({ reason }) => reason === 'rate-limit') ? progress : null;
    });
    expect(waiting).toHaveLength(6);
    expect(waiting[0]?.message).toContain('429');
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 6 } });
    expect(model.stats()).toMatchObject({ completed: 6, batches: 1 });
  });

  it('holds no more in batches than its budget covers', async () => {
    const { run, model } = await batchedRun(
      'anthropic',
      {},
      { turns: 1, budget: { usd: 0.1, tokens: null } },
    );
    const handle = await run.start();
    const held = await eventually(async () => {
      const { budget } = (await handle.query(progressQuery)).summary;
      return budget.reserved.usd > 0 ? budget.reserved.usd : null;
    });
    expect(held).toBeLessThanOrEqual(0.1);
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 6 } });
    expect(model.stats().batches).toBeGreaterThan(1);
  });

  it('is held where the budget covers no call, and goes on when it is raised', async () => {
    const budget = { usd: 0.001, tokens: null };
    const { run, model } = await batchedRun('chat', {}, { turns: 1, budget });
    const handle = await run.start();
    await eventually(async () => (await handle.query(progressQuery)).summary.parked || null);
    expect((await handle.query(progressQuery)).summary.heldBy).toBe('budget');
    expect(model.stats().batches).toBe(0);
    await handle.executeUpdate(tuneRunUpdate, { args: [{ budgetUsd: 1 }] });
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 6 } });
  });

  it('submits nothing while it is paused', async () => {
    const { run, model } = await batchedRun('chat', { refusedBatches: 5 }, { turns: 1 });
    const handle = await run.start();
    const waits = (wanted: string): Promise<true> =>
      eventually(async () => {
        const { waiting } = await handle.query(progressQuery);
        return (waiting.length === 6 && waiting.every(({ reason }) => reason === wanted)) || null;
      });
    await waits('rate-limit');
    await handle.executeUpdate(pauseRunUpdate, { args: [{}] });
    // It is looked at again, and not submitted.
    await waits('batch');
    expect(model.stats().batches).toBe(0);
    await handle.executeUpdate(resumeRunUpdate);
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 6 } });
    expect(model.stats()).toMatchObject({ completed: 6, batches: 1 });
  });

  it('ends its batches where it is cancelled, and pays what they have answered', async () => {
    const { run, model, billed } = await batchedRun('chat', { batchMs: 60_000 }, { turns: 1 });
    const handle = await run.start();
    await eventually(() => Promise.resolve(model.stats().batches === 1 || null));
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect(run.manifest()).toMatchObject({ status: 'cancelled' });
    expect(run.manifest().spent?.usd).toBeCloseTo(billed(), 10);
  });

  it('asks again a bounded number of times where the answers are failures', async () => {
    const failing = { failingQuestions: 1 };
    const { run, model } = await batchedRun('responses', failing, {
      ...{ questions: 2, turns: 1, modelAttempts: 3, onFailure: 'end' },
    });
    expect(await (await run.start()).result()).toMatchObject({ outcomes: { 'infra-error': 2 } });
    expect(model.stats()).toMatchObject({ failed: 6, batches: 3 });
  });

  it('has its judges asked in batches as well', async () => {
    const { run, model, billed } = await batchedRun('chat', {}, { turns: 1, questions: 3 }, true);
    const totals = await (await run.start()).result();
    expect(totals.outcomes).toEqual({ answered: 3 });
    const stats = model.stats();
    expect(stats).toMatchObject({ completed: 6, batches: 2 });
    expect(stats.batchedPromptTokens).toBe(stats.promptTokens);
    expect(run.manifest().spent?.usd).toBeCloseTo(billed(), 10);
  });
});
