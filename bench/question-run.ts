import { executeRun } from '../client/runs/execute-run.js';
import { prepareRun, type RunRequest } from '../client/runs/prepare-run.js';
import type { RunWatcher } from '../client/runs/watch-run.js';
import { totalsOf } from '../client/views/end-report.js';
import { runIdSchema } from '../domain/ids.js';
import { defaultRunConfig, type RunConfig, type Tuning } from '../domain/runs/run-config.js';
import type { RunManifest } from '../domain/runs/run-manifest.js';
import type { RunTotals } from '../domain/runs/run-totals.js';
import type { StoreManifest } from '../domain/stores/store-manifest.js';
import { generatedAnswer } from '../simulator/next-reply.js';
import { startSimulatedModel, type SimulatedModel } from '../simulator/simulated-model.js';
import type { SimulatorSettings } from '../simulator/simulator-options.js';
import type { ServedHome } from './example-store.js';

export interface QuestionRun {
  readonly name: string;
  /** Of its dataset, whose folder holds its databases. @defaultValue the name, in the working directory */
  readonly path?: string;
  /** Lines of JSON, as of `datasetOf`. */
  readonly dataset: string;
  readonly inFlight: RunConfig['concurrency'];
  /** The address of the simulated model. */
  readonly baseUrl: string;
  readonly config?: Partial<RunConfig>;
}

type Place = { readonly home: string; readonly manifest: StoreManifest | null };

/** @param place - its store is null where questions name their databases */
export const requestOf = (
  place: Place,
  { name, path, dataset, inFlight, baseUrl, config }: QuestionRun,
): RunRequest => ({
  home: place.home,
  run: runIdSchema.parse(name),
  dataset: { path: path ?? `${name}.jsonl`, text: dataset },
  store: place.manifest,
  config: {
    ...defaultRunConfig,
    concurrency: inFlight,
    model: { ...defaultRunConfig.model, name: 'simulated', baseUrl },
    ...config,
  },
});

/** Creates the files of a run without starting it. */
export const prepareQuestions = async (place: Place, run: QuestionRun): Promise<RunManifest> =>
  (await prepareRun(requestOf(place, run))).manifest;

const silentWatcher: RunWatcher = { onProgress: () => undefined, onSilence: () => undefined };

/** Carries out such a run, as `turnwise run` does. `wallMs` is from its start to its end. */
export async function answerQuestions(
  { session, environment }: ServedHome,
  manifest: RunManifest,
  watcher = silentWatcher,
  tuning: Tuning = {},
): Promise<{ readonly totals: RunTotals; readonly wallMs: number }> {
  const start = performance.now();
  const end = await executeRun(session, environment, manifest, watcher, tuning);
  return { totals: totalsOf(manifest.run, end), wallMs: performance.now() - start };
}

/** Both, one after the other. */
export async function askQuestions(
  place: ServedHome & { readonly manifest: StoreManifest | null },
  run: QuestionRun,
): Promise<Awaited<ReturnType<typeof answerQuestions>> & { readonly manifest: RunManifest }> {
  const manifest = await prepareQuestions(place, run);
  return { manifest, ...(await answerQuestions(place, manifest)) };
}

/** Questions whose gold is the answer that the simulated model generates. @param first - the number in the first one */
export const datasetOf = (questions: number, first = 1): string =>
  linesOf(
    Array.from({ length: questions }, (_, index) => {
      const question = `What does measurement ${first + index} come to?`;
      const gold = generatedAnswer(question);
      return {
        uuid: `q-${first + index}`,
        question,
        evaluator: { eval_func: 'eval_string_exact_match', eval_kwargs: { gold } },
      };
    }),
  );

/** A line of JSON for each. */
export const linesOf = (items: readonly object[]): string =>
  items.map((item) => `${JSON.stringify(item)}\n`).join('');

/** Works with a simulated model. */
export async function withModel<T>(
  settings: SimulatorSettings,
  work: (model: SimulatedModel) => Promise<T>,
): Promise<T> {
  const model = await startSimulatedModel(settings);
  try {
    return await work(model);
  } finally {
    await model.close();
  }
}

/** A script of the simulated model: it makes up conversations of so many turns. */
export const conversationsOf = (turns: number): SimulatorSettings['script'] => ({
  generated: { turns },
});
