import { executeRun } from '../client/runs/execute-run.js';
import { totalsOf } from '../client/views/run-end.js';
import { prepareRun } from '../client/runs/prepare-run.js';
import type { RunWatcher } from '../client/runs/watch-run.js';
import { generatedAnswer } from '../simulator/next-reply.js';
import { startSimulatedModel } from '../simulator/simulated-model.js';
import type { SimulatorSettings } from '../simulator/simulator-options.js';
import { runIdSchema } from '../domain/ids.js';
import { defaultRunConfig, type RunConfig } from '../domain/runs/run-config.js';
import type { RunManifest } from '../domain/runs/run-manifest.js';
import type { RunTotals } from '../domain/runs/run-totals.js';
import type { ExampleStore } from './example-store.js';

export interface QuestionRun {
  readonly name: string;
  readonly questions: number;
  /** The number in the first question. @defaultValue 1 */
  readonly first?: number;
  readonly inFlight: number;
  /** The address of the simulated model. */
  readonly baseUrl: string;
  readonly config?: Partial<RunConfig>;
}

export interface FinishedQuestionRun {
  readonly manifest: RunManifest;
  readonly totals: RunTotals;
  /** From the start of the run to its end. */
  readonly wallMs: number;
}

const silentWatcher: RunWatcher = { onProgress: () => undefined, onSilence: () => undefined };

/** Runs questions to their end, as `turnwise run` does. The simulated model generates their conversations. */
export async function askQuestions(
  store: ExampleStore,
  run: QuestionRun,
  watcher = silentWatcher,
): Promise<FinishedQuestionRun> {
  const manifest = await prepareQuestions(store, run);
  const start = performance.now();
  const end = await executeRun(store.session, store.environment, manifest, watcher);
  const totals = totalsOf(manifest.run, end);
  return { manifest, totals, wallMs: performance.now() - start };
}

/** Creates the files of such a run without starting it. */
export async function prepareQuestions(
  {
    home,
    manifest: store,
  }: Pick<ExampleStore, 'home'> & { readonly manifest: ExampleStore['manifest'] | null },
  { name, questions, first, inFlight, baseUrl, config }: QuestionRun,
): Promise<RunManifest> {
  const { manifest } = await prepareRun({
    home,
    run: runIdSchema.parse(name),
    dataset: { path: `${name}.jsonl`, text: datasetOf(questions, first) },
    store,
    config: {
      ...defaultRunConfig,
      concurrency: inFlight,
      model: { ...defaultRunConfig.model, name: 'simulated', baseUrl },
      ...config,
    },
  });
  return manifest;
}

/** A dataset of questions whose gold is the answer that the simulated model generates. */
export const datasetOf = (questions: number, first = 1): string =>
  Array.from(
    { length: questions },
    (_, index) => `${JSON.stringify(itemOf(first + index))}\n`,
  ).join('');

function itemOf(number: number): object {
  const question = `What does measurement ${number} come to?`;
  return {
    uuid: `q-${number}`,
    question,
    evaluator: {
      eval_func: 'eval_string_exact_match',
      eval_kwargs: { gold: generatedAnswer(question) },
    },
  };
}

/** Gives the address of a simulated model that makes up conversations of so many turns. */
export async function withModel<T>(
  settings: SimulatorSettings,
  turns: number,
  work: (baseUrl: string) => Promise<T>,
): Promise<T> {
  const script = { questions: [], prompts: [], generated: { turns } };
  const model = await startSimulatedModel({ ...settings, script });
  try {
    return await work(model.url);
  } finally {
    await model.close();
  }
}
