import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiFacts, modelApis, type ModelApi } from '../../domain/model-api.js';
import { inBatches } from '../../domain/models/model-settings.js';
import { defaultRunConfig, type RunConfig } from '../../domain/runs/run-config.js';
import { pauseRunUpdate, progressQuery, resumeRunUpdate } from '../../workflows/messages.js';
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
  }: Partial<RunConfig> & { questions?: number; turns?: number } = {},
): Promise<BatchedRun> {
  const script = { generated: { turns } };
  const model = await startSimulatedModel({ batchMs: 200, script, ...settings });
  models.push(model);
  const asked = { ...defaultRunConfig.model, api, name: 'm', baseUrl: model.urls[api], price };
  const names = Array.from({ length: questions }, (_, index) => `q${index}`);
  const run = runs.runOf(names, questions, [], {
    model: inBatches(asked, { pauseMs }),
    ...config,
  });
  const billed = (): number => {
    const { promptTokens, completionTokens, ...stats } = model.stats();
    const usd = promptTokens * price.input + completionTokens * price.output;
    const { batchedPromptTokens: prompt, batchedCompletionTokens: completion } = stats;
    return (usd - (prompt * price.input + completion * price.output) / 2) / 1e6;
  };
  return { run, model, billed };
}

describe.each(modelApis)(`a run in batches of ${'%s'}`, (api) => {
  it('sends the calls of one turn together, at half the price', async () => {
    const { run, model, billed } = await batchedRun(api, {});
    const handle = await run.start();
    const totals = await handle.result();
    expect(totals).toMatchObject({ outcomes: { answered: 6 }, turns: 12 });
    const stats = model.stats();
    expect(stats).toMatchObject({ completed: 12, distinctCompleted: 12, batches: 2 });
    expect(stats.batchedPromptTokens).toBe(stats.promptTokens);
    expect(totals.cost.usd).toBeCloseTo(billed(), 10);
    expect(run.manifest()).toMatchObject({
      spent: { usd: expect.closeTo(billed(), 10) as number },
    });
  });

  it('collects the calls again that a batch has left when it expired', async () => {
    const { run, model, billed } = await batchedRun(api, { expiringBatches: 1 }, { turns: 1 });
    const totals = await (await run.start()).result();
    expect(totals.outcomes).toEqual({ answered: 6 });
    expect(model.stats()).toMatchObject({ completed: 6, distinctCompleted: 6, batches: 2 });
    expect(totals.cost.usd).toBeCloseTo(billed(), 10);
  });
});
void apiFacts;
void pauseRunUpdate;
void progressQuery;
void resumeRunUpdate;
void eventually;
