import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../client/services/versions.js';
import { actionFormatNames } from '../domain/agent/actions/action-format.js';
import { methodNames, methodNeeds, methods } from '../domain/agent/methods.js';
import { grouped } from '../domain/formats/text.js';
import { defaultRunConfig, type RunConfig } from '../domain/runs/run-config.js';
import type { RunTotals } from '../domain/runs/run-totals.js';
import { markdownTable, type Benchmark, type Findings, type Log } from './benchmark.js';
import { withExampleStore, type ExampleStore } from './example-store.js';
import { askQuestions, withModel } from './question-run.js';

export const methodsBenchmark: Benchmark = {
  summary:
    'the example questions by every method and action format, with the scripted replies of the simulated model',
  run: (log) => withExampleStore(log, (store) => askByEveryMethod(store, log)),
};

/** Without the graph and database methods: the example has neither a graph nor databases. */
const askedMethods = methodNames.filter((name) => {
  const { graph, reads } = methodNeeds(methods[name]);
  return !graph && (reads === 'papers' || reads === 'nothing');
});

type Variant = Pick<RunConfig, 'method' | 'actionFormat'>;
type FinishedRun = Variant & { readonly totals: RunTotals };

async function askByEveryMethod(store: ExampleStore, log: Log): Promise<Findings> {
  const { method: usualMethod, actionFormat: usualFormat } = defaultRunConfig;
  const variants: readonly Variant[] = [
    ...askedMethods.map((method) => ({ method, actionFormat: usualFormat })),
    ...actionFormatNames
      .filter((format) => format !== usualFormat)
      .map((actionFormat) => ({ method: usualMethod, actionFormat })),
  ];
  const examples = join(packageRoot, 'examples');
  const dataset = readFileSync(join(examples, 'questions.jsonl'), 'utf8');
  log(
    `asking the example questions by ${variants.length} combinations of method and action format`,
  );
  const runs = await withModel({ script: join(examples, 'replies.json') }, ({ url }) =>
    Promise.all(
      variants.map(async (variant): Promise<FinishedRun> => {
        const name = `${variant.method}-${variant.actionFormat}`;
        // Few in flight, because the runs of all variants share the worker.
        const run = { name, dataset, inFlight: 3, baseUrl: url, config: variant };
        return { ...variant, totals: (await askQuestions(store, run)).totals };
      }),
    ),
  );
  const byMethod = runs.filter(({ actionFormat }) => actionFormat === usualFormat);
  const byFormat = runs.filter(({ method }) => method === usualMethod);
  return {
    tables: [
      runTable('method', byMethod, ({ method }) => method),
      runTable('actions', byFormat, ({ actionFormat }) => actionFormat),
    ],
    figures: runs,
    problems: runs.flatMap(({ method, actionFormat, totals: { outcomes } }) =>
      Object.entries(outcomes).flatMap(([outcome, count]) =>
        outcome === 'answered'
          ? []
          : [`${method} with ${actionFormat} actions: ${count} questions ended as ${outcome}`],
      ),
    ),
  };
}

const runTable = (
  heading: string,
  runs: readonly FinishedRun[],
  nameOf: (run: FinishedRun) => string,
): string =>
  markdownTable(
    [heading, 'turns', 'calls', 'prompt tokens', 'completion tokens', 'score'],
    runs.map((run) => {
      const { turns, usage, scores } = run.totals;
      return [
        `\`${nameOf(run)}\``,
        ...[turns, usage.calls, usage.promptTokens, usage.completionTokens].map(grouped),
        (scores.total / scores.scored).toFixed(3),
      ];
    }),
  );
