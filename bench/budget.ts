import type { RunWatcher } from '../client/runs/watch-run.js';
import { add } from '../domain/budget/amount.js';
import { runWorkflowId } from '../domain/ids.js';
import { costOfCall, type Price } from '../domain/models/usage.js';
import { defaultRunConfig, type RunConfig } from '../domain/runs/run-config.js';
import { UserError } from '../domain/user-error.js';
import type { SimulatedModel } from '../simulator/simulated-model.js';
import { progressQuery } from '../workflows/messages.js';
import {
  atLeast,
  atMost,
  ratioFindings,
  type Benchmark,
  type Findings,
  type Log,
} from './benchmark.js';
import { withExampleStore, type ExampleStore } from './example-store.js';
import {
  answerQuestions,
  askQuestions,
  conversationsOf,
  datasetOf,
  prepareQuestions,
  withModel,
} from './question-run.js';

export const budgetBenchmark: Benchmark = {
  summary:
    'a run with half of the budget that it needs and 100 calls in flight, then with enough; takes five minutes',
  run: (log) => withExampleStore(log, (store) => measureBudget(store, log)),
};

const price: Price = { input: 2, output: 8 };
const load = { questions: 200, inFlight: 100 };
const turns = 5;
const endpoint = { latencyMs: 1000, jitter: 0.5, seed: 3, script: conversationsOf(turns) };

async function measureBudget(store: ExampleStore, log: Log): Promise<Findings> {
  const run = { dataset: datasetOf(load.questions), inFlight: load.inFlight };
  log('without a budget');
  const fullCost = await withModel(endpoint, async (model) => {
    const config = configOf(model, null);
    await askQuestions(store, { name: 'free', ...run, baseUrl: model.url, config });
    return paid(model);
  });
  const cap = fullCost / 2;
  return withModel(endpoint, async (model) => {
    log(`with a budget of ${cap.toFixed(2)} dollars, half of the cost`);
    const config = configOf(model, cap);
    const capped = { name: 'capped', ...run, baseUrl: model.url, config };
    const manifest = await prepareQuestions(store, capped);
    let committed = 0;
    const watcher: RunWatcher = {
      onProgress: ({ summary: { budget } }) => {
        committed = Math.max(committed, add(budget.spent, budget.reserved).usd);
      },
      onSilence: log,
    };
    const parked = await answerQuestions(store, manifest, watcher).then(
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
    const enough = { budgetUsd: 2 * fullCost };
    const { totals } = await answerQuestions(store, manifest, unwatched, enough);
    const { client } = store.session;
    const handle = client.workflow.getHandle(runWorkflowId(client.home, manifest.run));
    const { summary } = await handle.query(progressQuery);
    const ratios = [
      atMost('paid when the run parked / budget', atCap / cap, 1),
      atMost('highest sum of spent and reserved / budget', committed / cap, 1),
      atLeast(
        'questions answered after the budget was raised',
        totals.outcomes.answered ?? 0,
        load.questions,
      ),
      atMost('dollars reserved at the end', summary.budget.reserved.usd, 0),
    ];
    const measured = { fullCost, cap, atCap, committed, parked, summary };
    return ratioFindings(ratios, { load, turns, price, ...measured });
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
