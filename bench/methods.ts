import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareRun } from '../client/runs/prepare-run.js';
import { packageRoot } from '../client/services/versions.js';
import { executeRun } from '../client/runs/execute-run.js';
import { totalsOf } from '../client/views/run-end.js';
import { actionFormatNames, type ActionFormatName } from '../domain/agent/actions/action-format.js';
import { methodNames, methodNeeds, methods, type MethodName } from '../domain/agent/methods.js';
import { runIdSchema } from '../domain/ids.js';
import { defaultRunConfig } from '../domain/runs/run-config.js';
import type { RunTotals } from '../domain/runs/run-totals.js';
import { startSimulatedModel } from '../simulator/simulated-model.js';
import { markdownTable, type Benchmark, type Findings } from './benchmark.js';
import { withExampleStore, type ExampleStore } from './example-store.js';

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

interface Variant {
  readonly method: MethodName;
  readonly actionFormat: ActionFormatName;
}

interface FinishedRun extends Variant {
  readonly totals: RunTotals;
}

async function askByEveryMethod(
  store: ExampleStore,
  log: (step: string) => void,
): Promise<Findings> {
  const { method: usualMethod, actionFormat: usualFormat } = defaultRunConfig;
  const variants: readonly Variant[] = [
    ...askedMethods.map((method) => ({ method, actionFormat: usualFormat })),
    ...actionFormatNames
      .filter((format) => format !== usualFormat)
      .map((actionFormat) => ({ method: usualMethod, actionFormat })),
  ];
  const script = join(packageRoot, 'examples', 'replies.json');
  const model = await startSimulatedModel({ script });
  let runs: readonly FinishedRun[];
  try {
    log(
      `asking the example questions by ${variants.length} combinations of method and action format`,
    );
    runs = await Promise.all(
      variants.map(async (variant) => ({
        ...variant,
        totals: await askAll(store, variant, model.url),
      })),
    );
  } finally {
    await model.close();
  }
  const byMethod = runs.filter(({ actionFormat }) => actionFormat === usualFormat);
  const byFormat = runs.filter(({ method }) => method === usualMethod);
  return {
    tables: [
      runTable('method', byMethod, ({ method }) => method),
      runTable('actions', byFormat, ({ actionFormat }) => actionFormat),
    ],
    figures: runs,
    problems: runs.flatMap(problemsOf),
  };
}

/** Runs the example dataset to its end. */
async function askAll(
  { home, session, environment, manifest: store }: ExampleStore,
  variant: Variant,
  baseUrl: string,
): Promise<RunTotals> {
  const path = join(packageRoot, 'examples', 'questions.jsonl');
  const { manifest } = await prepareRun({
    home,
    run: runIdSchema.parse(`${variant.method}-${variant.actionFormat}`),
    dataset: { path, text: readFileSync(path, 'utf8') },
    store,
    config: {
      ...defaultRunConfig,
      ...variant,
      // Low, because the runs of all variants share the worker.
      concurrency: 3,
      model: { ...defaultRunConfig.model, name: 'simulated', baseUrl },
    },
  });
  const unwatched = { onProgress: () => undefined, onSilence: () => undefined };
  return totalsOf(manifest.run, await executeRun(session, environment, manifest, unwatched));
}

function runTable(
  heading: string,
  runs: readonly FinishedRun[],
  nameOf: (run: FinishedRun) => string,
): string {
  return markdownTable(
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
}

const grouped = (count: number): string => count.toLocaleString('en-US');

const problemsOf = ({
  method,
  actionFormat,
  totals: { outcomes },
}: FinishedRun): readonly string[] =>
  Object.entries(outcomes).flatMap(([outcome, count]) =>
    outcome === 'answered'
      ? []
      : [`${method} with ${actionFormat} actions: ${count} questions ended as ${outcome}`],
  );
