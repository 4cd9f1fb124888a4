import { executeRun } from '../client/runs/execute-run.js';
import { totalsOf } from '../client/views/run-end.js';
import { add } from '../domain/budget/amount.js';
import { runWorkflowId } from '../domain/ids.js';
import { costOfCall, type Price } from '../domain/models/usage.js';
import { defaultRunConfig, type RunConfig } from '../domain/runs/run-config.js';
import type { RunProgress } from '../domain/runs/run-progress.js';
import { UserError } from '../domain/user-error.js';
import { startSimulatedModel, type SimulatedModel } from '../simulator/simulated-model.js';
import { progressQuery } from '../workflows/messages.js';
import { problemsOf, ratioTable, type Benchmark, type Findings, type Ratio } from './benchmark.js';
import { withExampleStore, type ExampleStore } from './example-store.js';
import { askQuestions, prepareQuestions } from './question-run.js';

export const budgetBenchmark: Benchmark = {
  summary:
    'a run with half the budget it needs and 100 calls in flight, then with enough; takes five minutes',
  run: (tell) => withExampleStore(tell, (store) => measureBudget(store, tell)),
};

const price: Price = { input: 2, output: 8 };
const load = { questions: 200, inFlight: 100 };
const turns = 5;

export async function measureBudget(
  store: ExampleStore,
  tell: (step: string) => void,
): Promise<Findings> {
  tell('without a budget');
  const whole = await withModel(async (model) => {
    const config = configOf(model, null);
    await askQuestions(store, { name: 'free', ...load, baseUrl: model.url, config });
    return paid(model);
  });
  const cap = whole / 2;
  return withModel(async (model) => {
    tell(`with half of ${whole.toFixed(2)} dollars`);
    const config = configOf(model, cap);
    const run = { name: 'capped', ...load, baseUrl: model.url, config };
    const manifest = await prepareQuestions(store, run);
    let committed = 0;
    const onProgress = ({ summary: { budget } }: RunProgress): void => {
      committed = Math.max(committed, add(budget.spent, budget.reserved).usd);
    };
    const capped = executeRun(store.session, store.environment, manifest, {
      onProgress,
      onSilence: tell,
    }).then((end) => totalsOf(manifest.run, end));
    const parked = await capped.then(
      () => 'it ended, and was to park',
      (error: unknown) => {
        if (error instanceof UserError) return error.message;
        throw error;
      },
    );
    tell(parked);
    const atCap = paid(model);
    tell('with enough');
    const unwatched = { onProgress: () => undefined, onSilence: tell };
    const end = await executeRun(store.session, store.environment, manifest, unwatched, {
      budgetUsd: 2 * whole,
    });
    const totals = totalsOf(manifest.run, end);
    const handle = store.session.client.workflow.getHandle(runWorkflowId(manifest.run));
    const { summary } = await handle.query(progressQuery);
    const ratios: readonly Ratio[] = [
      { name: 'paid when it parked / cap', value: atCap / cap, limit: 1, isToBe: 'at most' },
      {
        name: 'spent and reserved, most at any look / cap',
        value: committed / cap,
        limit: 1,
        isToBe: 'at most',
      },
      {
        name: 'questions answered once it was raised',
        value: totals.outcomes.answered ?? 0,
        limit: load.questions,
        isToBe: 'at least',
      },
      {
        name: 'dollars reserved at the end',
        value: summary.budget.reserved.usd,
        limit: 0,
        isToBe: 'at most',
      },
    ];
    return {
      tables: [ratioTable(ratios)],
      figures: { load, turns, price, whole, cap, atCap, committed, parked, summary, ratios },
      problems: problemsOf(ratios),
    };
  });
}

const configOf = (model: SimulatedModel, usd: number | null): Partial<RunConfig> => ({
  budget: { usd, tokens: null },
  model: { ...defaultRunConfig.model, name: 'simulated', baseUrl: model.url, price },
});

/** Dollars, as the endpoint counts them. */
const paid = (model: SimulatedModel): number => {
  const { promptTokens, completionTokens } = model.stats();
  return costOfCall({ prompt: promptTokens, completion: completionTokens, cached: 0 }, price) ?? 0;
};

async function withModel<T>(work: (model: SimulatedModel) => Promise<T>): Promise<T> {
  const script = { questions: [], prompts: [], generated: { turns } };
  const model = await startSimulatedModel({ latencyMs: 1000, jitter: 0.5, seed: 3, script });
  try {
    return await work(model);
  } finally {
    await model.close();
  }
}
