import { setTimeout as sleep } from 'node:timers/promises';
import { queryAccounts } from '../../client/runs/query-run.js';
import { accountLine } from '../../client/views/run-text.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import type { SimulatorSettings } from '../../simulator/simulator-options.js';
import { RunFolder } from '../../client/runs/run-folder.js';
import { startRun, type RunHandle } from '../../client/runs/start-run.js';
import type { Concurrency } from '../../domain/runs/run-config.js';
import type { ExampleStore } from '../example-store.js';
import { prepareQuestions } from '../question-run.js';
import { withExtraWorkers } from '../services/worker-process.js';

/** A span of time, counted from the first call, and the limit that holds in it. */
export interface Span {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly perMinute: number;
}

export interface LimitScenario {
  readonly summary: string;
  readonly unit: 'requests' | 'tokens';
  readonly perMinute: number;
  readonly limitChanges?: SimulatorSettings['limitChanges'];
  /** The concurrency of each run; all runs start together. */
  readonly runs: readonly Concurrency[];
  readonly workers: 1 | 2;
  readonly spans: readonly Span[];
}

export interface LimitMeasurement {
  readonly scenario: string;
  readonly summary: string;
  /** The used share of the limit in each span. */
  readonly used: readonly (Span & { readonly share: number })[];
  readonly calls: number;
  readonly refusedShare: number;
  /** Each run's share of the calls in the spans. */
  readonly runs: readonly number[];
  /** Failed attempts, over all runs. */
  readonly retries: number;
  /** Questions that ended as `infra-error`, over all runs. */
  readonly failures: number;
}

/** With 200 questions in flight, the offered load is three times the limit of 600 requests a minute. */
export const latencyMs = 6_600;

/** Runs questions against a limit that the provider does not advertise, until the last span ends. */
export async function measureScenario(
  store: ExampleStore,
  name: string,
  scenario: LimitScenario,
  log: (step: string) => void,
): Promise<LimitMeasurement> {
  const { summary, unit, perMinute, limitChanges = [] } = scenario;
  log(summary);
  const model = await startSimulatedModel({
    script: { questions: [], prompts: [], generated: { turns: 18 } },
    latencyMs,
    jitter: 0.5,
    ...(unit === 'requests' ? { requestsPerMinute: perMinute } : { tokensPerMinute: perMinute }),
    limitChanges: [...limitChanges],
    limitHeaders: 'none',
  });
  try {
    return await withExtraWorkers(store, scenario.workers - 1, () =>
      withRuns(store, name, scenario, model, (runs) =>
        measureSpans(store, name, scenario, model, runs, log),
      ),
    );
  } finally {
    await model.close();
  }
}

const firstQuestion = (run: number): number => 1 + run * 100_000;

/** Starts runs with more questions than they can finish, and cancels them when `work` is done. */
async function withRuns<T>(
  store: ExampleStore,
  name: string,
  { runs }: LimitScenario,
  { url }: SimulatedModel,
  work: (folders: readonly RunFolder[]) => Promise<T>,
): Promise<T> {
  const { session, home } = store;
  const handles: RunHandle[] = [];
  const folders: RunFolder[] = [];
  for (const [index, concurrency] of runs.entries()) {
    const manifest = await prepareQuestions(store, {
      name: `limits-${name}-${index + 1}`,
      questions: 600,
      first: firstQuestion(index),
      inFlight: 1,
      baseUrl: url,
      config: { concurrency },
    });
    folders.push(new RunFolder(home, manifest.run));
    handles.push(await startRun(session.client, manifest));
  }
  try {
    return await work(folders);
  } finally {
    await Promise.all(handles.map((handle) => handle.cancel()));
    await Promise.allSettled(handles.map((handle) => handle.result()));
  }
}

async function measureSpans(
  { session }: ExampleStore,
  name: string,
  { unit, spans, summary }: LimitScenario,
  model: SimulatedModel,
  folders: readonly RunFolder[],
  log: (step: string) => void,
): Promise<LimitMeasurement> {
  while (model.stats().received === 0) await sleep(50);
  const start = performance.now();
  const until = async (seconds: number): Promise<ReturnType<typeof counts>> => {
    await sleep(Math.max(0, start + seconds * 1000 - performance.now()));
    return counts();
  };
  const counts = () => {
    const { completed, promptTokens, completionTokens, perQuestion } = model.stats();
    return {
      atMs: performance.now(),
      units: unit === 'requests' ? completed : promptTokens + completionTokens,
      perRun: folders.map((_, index) => completedOf(perQuestion, index)),
    };
  };
  const asked = { baseUrl: model.url, name: 'simulated' };
  const logging = setInterval(
    () =>
      void queryAccounts(session.client, asked).then((found) =>
        found.map(accountLine).forEach((line) => log(line)),
      ),
    15_000,
  );
  const used: (Span & { readonly share: number })[] = [];
  const perRun = folders.map(() => 0);
  try {
    for (const span of spans) {
      const before = await until(span.fromSeconds);
      const after = await until(span.toSeconds);
      const minutes = (after.atMs - before.atMs) / 60_000;
      used.push({ ...span, share: (after.units - before.units) / minutes / span.perMinute });
      after.perRun.forEach((count, index) => {
        perRun[index] = (perRun[index] ?? 0) + count - (before.perRun[index] ?? 0);
      });
    }
  } finally {
    clearInterval(logging);
  }
  const { received, refused } = model.stats();
  const results = (await Promise.all(folders.map((folder) => folder.results()))).flat();
  const total = perRun.reduce((sum, count) => sum + count, 0);
  return {
    scenario: name,
    summary,
    used,
    calls: received,
    refusedShare: refused / received,
    runs: perRun.map((count) => count / total),
    retries: results.reduce((sum, { usage }) => sum + usage.retries, 0),
    failures: results.filter(({ outcome }) => outcome.kind === 'infra-error').length,
  };
}

/** The completed calls of a run. The numbers in the texts of its questions identify the run. */
const completedOf = (
  perQuestion: ReturnType<SimulatedModel['stats']>['perQuestion'],
  run: number,
): number =>
  Object.entries(perQuestion)
    .filter(([question]) => {
      const number = Number(/\d+/.exec(question)?.[0]);
      return number >= firstQuestion(run) && number < firstQuestion(run + 1);
    })
    .reduce((sum, [, { completed }]) => sum + completed, 0);
