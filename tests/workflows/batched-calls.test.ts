import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFindOpenJudgements, createJudgeCases } from '../../activities/judging/judge-case.js';
import { createAdvanceBatch, createCollectCalls } from '../../activities/runs/batches.js';
import { noCap } from '../../domain/budget/amount.js';
import { modelApis, type ModelApi } from '../../domain/model-api.js';
import { inBatches } from '../../domain/models/model-settings.js';
import { defaultRunConfig } from '../../domain/runs/run-config.js';
import { defaultJudging } from '../../domain/scoring/judging/judging-config.js';
import {
  judgementsFolder,
  judgingFile,
  judgingFolder,
  judgingIdSchema,
  type JudgingJob,
} from '../../domain/scoring/judging/judging-job.js';
import type { CallsProgress } from '../../domain/scoring/open-calls.js';
import type { SimulatorSettings } from '../../simulator/simulator-options.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import { openStorage } from '../../storage/open-storage.js';
import { openRunFiles } from '../../storage/runs/run-files.js';
import { createBatchFiles, createJudgingFiles } from '../../worker/adapters/files/job-files.js';
import { createBatches } from '../../worker/adapters/model-apis/batches.js';
import { batching } from '../../worker/model-calls/chain.js';
import type { JudgeAnswersInput } from '../../workflows/jobs/call-jobs.js';
import { callsQuery, workflowNames } from '../../workflows/messages.js';
import { eventually } from '../support/command-line.js';
import { keysForAll } from '../support/model-calls/keys-for-all.js';
import { bundleWorkflows, startTemporal } from '../support/temporal.js';

const taskQueue = 'judgings';
const price = { input: 3, output: 7 };
const home = mkdtempSync(join(tmpdir(), 'turnwise-batched-calls-'));
const storage = openStorage(home);
const judgingFiles = createJudgingFiles(storage);
const models: SimulatedModel[] = [];
let temporal: TestWorkflowEnvironment;

beforeAll(async () => {
  temporal = await startTemporal('limit.historyCount.suggestContinueAsNew=60');
  const keys = keysForAll({ apiKey: undefined, keyIsFor: 'http://127.0.0.1' });
  const runFiles = openRunFiles(home);
  const batchFiles = createBatchFiles(runFiles, storage);
  const clock = { now: () => new Date().toISOString() };
  const ports = { judgingFiles, model: batching(batchFiles, keys), batchFiles, runFiles, clock };
  const worker = await Worker.create({
    connection: temporal.nativeConnection,
    taskQueue,
    workflowBundle: await bundleWorkflows(),
    activities: {
      findOpenJudgements: createFindOpenJudgements(ports),
      judgeCases: createJudgeCases(ports),
      collectCalls: createCollectCalls(ports),
      advanceBatch: createAdvanceBatch({ ...ports, batches: createBatches(keys) }),
    },
  });
  const working = worker.run();
  return async () => {
    worker.shutdown();
    await working;
    await temporal.teardown();
  };
});
afterAll(() => Promise.all(models.map((model) => model.close())));

interface Judging {
  readonly model: SimulatedModel;
  readonly start: (changes?: Partial<JudgeAnswersInput>) => Promise<Handle>;
  readonly judge: (changes?: Partial<JudgeAnswersInput>) => Promise<CallsProgress>;
  /** How many replies are stored. */
  readonly stored: () => Promise<number>;
  /** Dollars by the account of the provider. */
  readonly billed: () => number;
}
type Handle = Awaited<
  ReturnType<
    typeof temporal.client.workflow.start<(input: JudgeAnswersInput) => Promise<CallsProgress>>
  >
>;

/** Answers before two judges, who reply in batches. */
async function judging(
  api: ModelApi,
  settings: SimulatorSettings = {},
  answers = 150,
): Promise<Judging> {
  const model = await startSimulatedModel({ batchMs: 200, ...settings });
  models.push(model);
  const asked = { ...defaultRunConfig.model, api, name: 'm', baseUrl: model.urls[api], price };
  const judge = inBatches(asked, { pauseMs: 100 });
  const id = judgingIdSchema.parse(randomUUID().replaceAll('-', '').slice(0, 16));
  const job: JudgingJob = {
    judging: { ...defaultJudging, models: ['one', 'two'].map((name) => ({ ...judge, name })) },
    mode: 'default',
    cases: Array.from({ length: answers }, (_, index) => ({
      folder: judgementsFolder(`${index}${id}`),
      answer: JSON.stringify(`answer ${index}`),
      evaluator: {
        eval_func: 'eval_reference_answer_with_llm',
        eval_kwargs: { question: `What ${index}?`, reference_answer: 'that' },
      },
    })),
  };
  await storage.write(judgingFile(id), JSON.stringify(job));
  const start: Judging['start'] = (changes = {}) =>
    temporal.client.workflow.start<(input: JudgeAnswersInput) => Promise<CallsProgress>>(
      workflowNames.judgeAnswers,
      {
        workflowId: id,
        taskQueue,
        args: [
          {
            ...{ judging: id, cases: answers, concurrency: 3, budget: noCap },
            ...{ modelTimeoutMs: 1000, modelAttempts: 2 },
            batches: { folder: judgingFolder(id), pauseMs: 100 },
            ...changes,
          },
        ],
      },
    );
  return {
    model,
    start,
    judge: async (changes) => (await start(changes)).result(),
    stored: async () => {
      const all = await Promise.all(job.cases.map(({ folder }) => judgingFiles.replies(folder)));
      return all.flat().length;
    },
    billed: () => {
      const { batchedPromptTokens: prompt, batchedCompletionTokens: completion } = model.stats();
      return (prompt * price.input + completion * price.output) / 2 / 1e6;
    },
  };
}

describe.each(modelApis)('a job in batches of %s', (api) => {
  it('sends all that is open together, at half the price', async () => {
    const { judge, model, billed, stored } = await judging(api);
    const progress = await judge();
    expect(progress).toMatchObject({ calls: 300, failures: [], parked: null, next: 150 });
    const stats = model.stats();
    // A batch for each judge.
    expect(stats).toMatchObject({ completed: 300, batches: 2 });
    expect(stats.batchedPromptTokens).toBe(stats.promptTokens);
    expect(progress.spent.usd).toBeCloseTo(billed(), 10);
    expect(await stored()).toBe(300);
  });
});

describe('a job in batches', () => {
  it('sends again what has expired, and nothing else', async () => {
    const { judge, model, billed } = await judging('chat', { expiringBatches: 1 }, 20);
    const progress = await judge();
    expect(progress).toMatchObject({ calls: 40, failures: [] });
    expect(model.stats()).toMatchObject({ completed: 40, distinctCompleted: 40, batches: 3 });
    expect(progress.spent.usd).toBeCloseTo(billed(), 10);
  });

  it('buys nothing twice where its workflow ends while a batch is open', async () => {
    const { start, judge, model, billed, stored } = await judging('chat', { batchMs: 2_000 }, 10);
    const handle = await start();
    await eventually(() => (model.stats().batches === 2 ? true : null));
    await eventually(async () => (await handle.query(callsQuery)).waits);
    await handle.terminate();
    const progress = await judge();
    expect(progress).toMatchObject({ calls: 20, failures: [] });
    expect(model.stats()).toMatchObject({ completed: 20, batches: 2 });
    expect(progress.spent.usd).toBeCloseTo(billed(), 10);
    expect(await stored()).toBe(20);
  });

  it('asks again in a later workflow what was answered with failures', async () => {
    const failing = await judging('chat', { faults: { '500': 1 } }, 5);
    const first = await failing.judge();
    expect(first.failures).toHaveLength(10);
    const asked = failing.model.stats().received;
    expect((await failing.judge()).failures).toHaveLength(10);
    expect(failing.model.stats().received).toBe(2 * asked);
  });

  it('sends what the budget covers, and says what the next call needs', async () => {
    const { judge, billed, stored } = await judging('chat', {}, 20);
    const budget = { usd: 0.015, tokens: null };
    const progress = await judge({ budget });
    expect(progress.parked?.usd).toBeGreaterThan(0);
    expect(progress.spent.usd).toBeLessThanOrEqual(budget.usd);
    expect(progress.spent.usd).toBeCloseTo(billed(), 10);
    expect(progress.calls).toBe(await stored());
    expect(progress.calls).toBeGreaterThan(0);
    expect(progress.calls).toBeLessThan(40);
  });

  it('leaves nothing in its folder but what its batches have answered', async () => {
    const { judge, start } = await judging('chat', {}, 2);
    await judge();
    const [id] = [(await start()).workflowId];
    const folder = join(home, judgingFolder(judgingIdSchema.parse(id)));
    expect(readdirSync(join(folder, 'batches/waiting'))).toEqual([]);
  });
});
