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
    'a run with half of the budget that it needs and 100 calls in flight, then with enough; takes five minutes',
  run: (log) => withExampleStore(log, (store) => measureBudget(store, log)),
};

const price: Price = { input: 2, output: 8 };
const load = { questions: 200, inFlight: 100 };
const turns = 5;

export async function measureBudget(
  store: ExampleStore,
  log: (step: string) => void,
): Promise<Findings> {
  log('without a budget');
  const fullCost = await withModel(async (model) => {
    const config = configOf(model, null);
    await askQuestions(store, { name: 'free', ...load, baseUrl: model.url, config });
    return paid(model);
  });
  const cap = fullCost / 2;
  return withModel(async (model) => {
    log(`with a budget of ${cap.toFixed(2)} dollars, half of the cost`);
    const config = configOf(model, cap);
    const run = { name: 'capped', ...load, baseUrl: model.url, config };
    const manifest = await prepareQuestions(store, run);
    let committed = 0;
    const onProgress = ({ summary: { budget } }: RunProgress): void => {
      committed = Math.max(committed, add(budget.spent, budget.reserved).usd);
    };
    const capped = executeRun(store.session, store.environment, manifest, {
      onProgress,
      onSilence: log,
    }).then((end) => totalsOf(manifest.run, end));
    const parked = await capped.then(
      () => 'the run ended instead of parking',
      (error: unknown) => {
        if (error instanceof UserError) return error.message;
        throw error;
      },
    );
    log(parked);
    const atCap = paid(model);
    log('with a sufficient budget');
    const unwatched = { onProgress: () => undefined, onSilence: log };
    const end = await executeRun(store.session, store.environment, manifest, unwatched, {
      budgetUsd: 2 * fullCost,
    });
    const totals = totalsOf(manifest.run, end);
    const handle = store.session.client.workflow.getHandle(
      runWorkflowId(store.session.client.home, manifest.run),
    );
    const { summary } = await handle.query(progressQuery);
    const ratios: readonly Ratio[] = [
      { name: 'paid when the run parked / budget', value: atCap / cap, limit: 1, bound: 'at most' },
      {
        name: 'highest sum of spent and reserved / budget',
        value: committed / cap,
        limit: 1,
        bound: 'at most',
      },
      {
        name: 'questions answered after the budget was raised',
        value: totals.outcomes.answered ?? 0,
        limit: load.questions,
        bound: 'at least',
      },
      {
        name: 'dollars reserved at the end',
        value: summary.budget.reserved.usd,
        limit: 0,
        bound: 'at most',
      },
    ];
    return {
      tables: [ratioTable(ratios)],
      figures: { load, turns, price, fullCost, cap, atCap, committed, parked, summary, ratios },
      problems: problemsOf(ratios),
    };
  });
}

const configOf = (model: SimulatedModel, usd: number | null): Partial<RunConfig> => ({
  budget: { usd, tokens: null },
  model: { ...defaultRunConfig.model, name: 'simulated', baseUrl: model.url, price },
});

/** Dollars, by the endpoint's own count of tokens. */
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
