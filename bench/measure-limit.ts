import { setTimeout as sleep } from 'node:timers/promises';
import { queryAccounts } from '../client/runs/query-run.js';
import { accountLine } from '../client/views/run-text.js';
import { startSimulatedModel, type SimulatedModel } from '../simulator/simulated-model.js';
import type { SimulatorSettings } from '../simulator/simulator-options.js';
import { RunFolder } from '../client/runs/run-folder.js';
import { startRun, type RunHandle } from '../client/runs/start-run.js';
import type { Concurrency } from '../domain/runs/run-config.js';
import type { ExampleStore } from './example-store.js';
import { withHelper } from './helper-worker.js';
import { prepareQuestions } from './question-run.js';

/** A time, from the first call on, in which so much is to be had. */
export interface Span {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly perMinute: number;
}

export interface Scenario {
  readonly summary: string;
  readonly unit: 'requests' | 'tokens';
  readonly perMinute: number;
  readonly limitChanges?: SimulatorSettings['limitChanges'];
  /** Of each run; they are started together. */
  readonly runs: readonly Concurrency[];
  readonly workers: 1 | 2;
  readonly spans: readonly Span[];
}

export interface Measured {
  readonly scenario: string;
  readonly summary: string;
  /** Of what the limit allowed, span by span. */
  readonly used: readonly (Span & { readonly share: number })[];
  readonly calls: number;
  readonly refusedShare: number;
  /** The share of the calls that each run made, in the spans. */
  readonly runs: readonly number[];
  /** Attempts beyond the first, and questions that failed, over all runs. */
  readonly retries: number;
  readonly failures: number;
}

/** With 200 questions in flight three times the limit of 600 requests a minute is offered. */
export const latencyMs = 6_600;

/** Lets runs meet a limit that nobody tells them, for as long as the scenario's spans last. */
export async function measureScenario(
  store: ExampleStore,
  name: string,
  scenario: Scenario,
  tell: (step: string) => void,
): Promise<Measured> {
  const { summary, unit, perMinute, limitChanges = [] } = scenario;
  tell(summary);
  const model = await startSimulatedModel({
    script: { questions: [], prompts: [], generated: { turns: 18 } },
    latencyMs,
    jitter: 0.5,
    ...(unit === 'requests' ? { requestsPerMinute: perMinute } : { tokensPerMinute: perMinute }),
    limitChanges: [...limitChanges],
    limitHeaders: 'none',
  });
  try {
    return await withHelper(store, scenario.workers - 1, () =>
      withRuns(store, name, scenario, model, (runs) =>
        watch(store, name, scenario, model, runs, tell),
      ),
    );
  } finally {
    await model.close();
  }
}

const firstQuestion = (run: number): number => 1 + run * 100_000;

/** Runs with more questions than there is time for; they are cancelled when `work` is done. */
async function withRuns<T>(
  store: ExampleStore,
  name: string,
  { runs }: Scenario,
  { url }: SimulatedModel,
  work: (folders: readonly RunFolder[]) => Promise<T>,
): Promise<T> {
  const { session, environment, home } = store;
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
    handles.push(await startRun(session.client, manifest, environment.TURNWISE_TASK_QUEUE));
  }
  try {
    return await work(folders);
  } finally {
    await Promise.all(handles.map((handle) => handle.cancel()));
    await Promise.allSettled(handles.map((handle) => handle.result()));
  }
}

async function watch(
  { session }: ExampleStore,
  name: string,
  { unit, spans, summary }: Scenario,
  model: SimulatedModel,
  folders: readonly RunFolder[],
  tell: (step: string) => void,
): Promise<Measured> {
  while (model.stats().received === 0) await sleep(50);
  const start = performance.now();
  const until = async (seconds: number): Promise<ReturnType<typeof look>> => {
    await sleep(Math.max(0, start + seconds * 1000 - performance.now()));
    return look();
  };
  const look = () => {
    const { completed, promptTokens, completionTokens, perQuestion } = model.stats();
    return {
      atMs: performance.now(),
      units: unit === 'requests' ? completed : promptTokens + completionTokens,
      perRun: folders.map((_, index) => completedOf(perQuestion, index)),
    };
  };
  const asked = { baseUrl: model.url, name: 'simulated' };
  const telling = setInterval(
    () =>
      void queryAccounts(session.client, asked).then((found) =>
        found.map(accountLine).forEach((line) => tell(line)),
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
    clearInterval(telling);
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

/** Calls of a run, which is known by the numbers of its questions. */
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
