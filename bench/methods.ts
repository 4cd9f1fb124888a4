import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { estimateOf } from '../client/runs/estimate-run.js';
import { planRun } from '../client/runs/prepare-run.js';
import { packageRoot } from '../client/services/programs.js';
import { databaseModes } from '../domain/agent/database-qa/answer-trace.js';
import { actionFormatNames } from '../domain/agent/actions/action.js';
import { methodNames, methodNeeds, methods } from '../domain/agent/methods.js';
import { grouped } from '../domain/formats/text.js';
import { defaultRunConfig, type RunConfig } from '../domain/runs/run-config.js';
import type { RunEstimate } from '../domain/runs/run-estimate.js';
import type { RunTotals } from '../domain/runs/run-totals.js';
import { markdownTable, type Benchmark, type Findings, type Log } from './benchmark.js';
import { withExampleStore, type ExampleStore } from './example-store.js';
import { askQuestions, requestOf, withModel, type QuestionRun } from './question-run.js';

export const methodsBenchmark: Benchmark = {
  summary:
    'the example questions by every method and action format, with the scripted replies of the simulated model',
  run: (log) => withExampleStore(log, (store) => askByEveryMethod(store, log)),
};

const { method: usualMethod, actionFormat: usualFormat } = defaultRunConfig;

/** Without the graph methods: the example has no graph. */
const paperMethods = methodNames.filter((name) => {
  const { graph, reads } = methodNeeds(methods[name]);
  return !graph && (reads === 'papers' || reads === 'nothing');
});

type Variant = Pick<RunConfig, 'method' | 'actionFormat'>;

interface FinishedRun extends Variant {
  readonly totals: RunTotals;
  /** As `--dry-run` shows it before anything is asked. */
  readonly forecast: RunEstimate;
}

async function askByEveryMethod(store: ExampleStore, log: Log): Promise<Findings> {
  const papers: readonly Variant[] = [
    ...paperMethods.map((method) => ({ method, actionFormat: usualFormat })),
    ...actionFormatNames
      .filter((format) => format !== usualFormat)
      .map((actionFormat) => ({ method: usualMethod, actionFormat })),
  ];
  // Their questions, databases and replies are an example of their own.
  const databases = databaseModes.map((method) => ({ method, actionFormat: usualFormat }));
  const examples = join(packageRoot, 'examples');
  log(`asking the example questions by ${papers.length} combinations of method and action format`);
  const ofPapers = await askAll(store, examples, papers);
  log(`asking the example of databases by ${databases.length} methods`);
  const ofDatabases = await askAll(
    { ...store, manifest: null },
    join(examples, 'database-qa'),
    databases,
  );
  const runs = [...ofPapers, ...ofDatabases];
  const byMethod = ofPapers.filter(({ actionFormat }) => actionFormat === usualFormat);
  const byFormat = ofPapers.filter(({ method }) => method === usualMethod);
  return {
    tables: [
      runTable('method', byMethod, ({ method }) => method),
      runTable('actions', byFormat, ({ actionFormat }) => actionFormat),
      runTable('databases', ofDatabases, ({ method }) => method),
    ],
    figures: runs,
    problems: [...runs.flatMap(unanswered), ...runs.flatMap(beyondForecast)],
  };
}

/** Each variant is forecast before any is asked, so that no forecast knows what another took. */
async function askAll(
  place: Omit<ExampleStore, 'manifest'> & { readonly manifest: ExampleStore['manifest'] | null },
  folder: string,
  variants: readonly Variant[],
): Promise<readonly FinishedRun[]> {
  const path = join(folder, 'questions.jsonl');
  const dataset = readFileSync(path, 'utf8');
  return withModel({ script: join(folder, 'replies.json') }, async ({ url }) => {
    const planned: (Variant & { readonly run: QuestionRun; readonly forecast: RunEstimate })[] = [];
    for (const variant of variants) {
      const name = `${variant.method}-${variant.actionFormat}`;
      // Few in flight, because the runs of all variants share the worker.
      const run = { name, path, dataset, inFlight: 3, baseUrl: url, config: variant };
      const plan = await planRun(requestOf(place, run));
      planned.push({ ...variant, run, forecast: (await estimateOf(plan, place.home)).estimate });
    }
    return Promise.all(
      planned.map(async ({ run, ...variant }) => ({
        ...variant,
        totals: (await askQuestions(place, run)).totals,
      })),
    );
  });
}

const unanswered = ({ method, actionFormat, totals: { outcomes } }: FinishedRun): string[] =>
  Object.entries(outcomes).flatMap(([outcome, count]) =>
    outcome === 'answered'
      ? []
      : [`${method} with ${actionFormat} actions: ${count} questions ended as ${outcome}`],
  );

const tokensOf = (of: { readonly promptTokens: number; readonly completionTokens: number }) =>
  of.promptTokens + of.completionTokens;

/** A forecast that does not hold what was billed. */
function beyondForecast({ method, actionFormat, totals, forecast }: FinishedRun): string[] {
  const billed = tokensOf(totals.usage);
  const [low, high] = [tokensOf(forecast.low), tokensOf(forecast.high)];
  return low <= billed && billed <= high
    ? []
    : [
        `${method} with ${actionFormat} actions: ${grouped(billed)} tokens were billed, forecast ${grouped(low)} to ${grouped(high)}`,
      ];
}

const runTable = (
  heading: string,
  runs: readonly FinishedRun[],
  nameOf: (run: FinishedRun) => string,
): string =>
  markdownTable(
    [heading, 'turns', 'calls', 'prompt tokens', 'completion tokens', 'forecast, tokens', 'score'],
    runs.map((run) => {
      const { turns, usage, scores } = run.totals;
      const { low, high } = run.forecast;
      return [
        `\`${nameOf(run)}\``,
        ...[turns, usage.calls, usage.promptTokens, usage.completionTokens].map(grouped),
        `${grouped(tokensOf(low))} to ${grouped(tokensOf(high))}`,
        scores.scored === 0 ? '' : (scores.total / scores.scored).toFixed(3),
      ];
    }),
  );
