import { setTimeout as sleep } from 'node:timers/promises';
import { queryAccounts } from '../../client/runs/query-run.js';
import { RunFolder } from '../../client/runs/run-folder.js';
import { startRun, type RunHandle } from '../../client/runs/start-run.js';
import { accountLine } from '../../client/views/run-text.js';
import type { SimulatedModel } from '../../simulator/simulated-model.js';
import type { SimulatorSettings } from '../../simulator/simulator-options.js';
import { markdownTable, type Benchmark, type Findings, type Log } from '../benchmark.js';
import { spawnWorker } from '../chaos/command-line.js';
import { withExampleStore, type ExampleStore } from '../example-store.js';
import { conversationsOf, datasetOf, prepareQuestions, withModel } from '../question-run.js';
import { endOf } from '../servers/local-server.js';

/** A span of time, counted from the first call, and the limit that holds in it. */
interface Span {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly perMinute: number;
}

interface LimitScenario {
  readonly summary: string;
  readonly limit: Pick<SimulatorSettings, 'requestsPerMinute' | 'tokensPerMinute' | 'limitChanges'>;
  /** All start together. */
  readonly runs: number;
  readonly workers: 1 | 2;
  readonly spans: readonly Span[];
}

const afterAMinute = (perMinute: number): readonly Span[] => [
  { fromSeconds: 60, toSeconds: 200, perMinute },
];
const requestsPerMinute = 600;
const tokensPerMinute = 2_400_000;

const scenarios: Readonly<Record<string, LimitScenario>> = {
  requests: {
    summary: '600 requests a minute',
    limit: { requestsPerMinute },
    ...{ runs: 1, workers: 1, spans: afterAMinute(requestsPerMinute) },
  },
  tokens: {
    summary: '2.4 million tokens a minute',
    limit: { tokensPerMinute },
    ...{ runs: 1, workers: 1, spans: afterAMinute(tokensPerMinute) },
  },
  workers: {
    summary: '600 requests a minute, two workers, two runs',
    limit: { requestsPerMinute },
    ...{ runs: 2, workers: 2, spans: afterAMinute(requestsPerMinute) },
  },
  changes: {
    summary: '600 requests a minute, halved after 90 s, doubled after 180 s',
    limit: {
      requestsPerMinute,
      limitChanges: [
        { afterSeconds: 90, factor: 0.5 },
        { afterSeconds: 180, factor: 1 },
      ],
    },
    ...{ runs: 1, workers: 1 },
    spans: [
      { fromSeconds: 60, toSeconds: 88, perMinute: 600 },
      { fromSeconds: 150, toSeconds: 178, perMinute: 300 },
      { fromSeconds: 240, toSeconds: 290, perMinute: 600 },
    ],
  },
};

const leastUsed = 0.95;
const mostRefused = 0.02;
/** The least share of its fair part that each of several runs must get. */
const leastOfFairShare = 0.9;
/** With 200 questions in flight, the offered load is three times the limit of 600 requests a minute. */
const latencyMs = 6_600;

/** A benchmark of all scenarios, and one of each. */
export const limitsBenchmarks: Readonly<Record<string, Benchmark>> = {
  limits: benchmarkOf(
    'the used share of a limit that the provider does not advertise, in four scenarios; takes a quarter of an hour',
    scenarios,
  ),
  ...Object.fromEntries(
    Object.entries(scenarios).map(([name, scenario]) => [
      `limits-${name}`,
      benchmarkOf(`only ${scenario.summary}`, { [name]: scenario }),
    ]),
  ),
};

function benchmarkOf(summary: string, wanted: Readonly<Record<string, LimitScenario>>): Benchmark {
  return {
    summary,
    run: (log) =>
      withExampleStore(log, async (store) => {
        const measured: LimitMeasurement[] = [];
        for (const [name, scenario] of Object.entries(wanted)) {
          measured.push(await measureScenario(store, name, scenario, log));
        }
        return findingsOf(measured);
      }),
  };
}

/** Runs questions against a limit that the provider does not advertise, until the last span ends. */
function measureScenario(
  store: ExampleStore,
  name: string,
  scenario: LimitScenario,
  log: Log,
): Promise<LimitMeasurement> {
  log(scenario.summary);
  const pace = { latencyMs, jitter: 0.5, script: conversationsOf(18) };
  return withModel({ ...pace, ...scenario.limit, limitHeaders: 'none' }, async (model) => {
    const { session, home, milvusAddress } = store;
    const { temporalAddress } = session.services;
    const second =
      scenario.workers === 2 ? spawnWorker(home, { temporalAddress, milvusAddress }) : null;
    try {
      return await withRuns(store, name, scenario.runs, model.url, (folders) =>
        measureSpans(store, name, scenario, model, folders, log),
      );
    } finally {
      if (second) await endOf(second, 'SIGTERM');
    }
  });
}

const firstQuestion = (run: number): number => 1 + run * 100_000;

/** Starts runs with more questions than they can finish, and cancels them when `work` is done. */
async function withRuns<T>(
  store: ExampleStore,
  name: string,
  runs: number,
  baseUrl: string,
  work: (folders: readonly RunFolder[]) => Promise<T>,
): Promise<T> {
  const handles: RunHandle[] = [];
  const folders: RunFolder[] = [];
  for (let run = 0; run < runs; run += 1) {
    const manifest = await prepareQuestions(store, {
      name: `limits-${name}-${run + 1}`,
      dataset: datasetOf(600, firstQuestion(run)),
      inFlight: 'auto',
      baseUrl,
    });
    folders.push(new RunFolder(store.home, manifest.run));
    handles.push(await startRun(store.session.client, manifest));
  }
  try {
    return await work(folders);
  } finally {
    await Promise.all(handles.map((handle) => handle.cancel()));
    await Promise.allSettled(handles.map((handle) => handle.result()));
  }
}

interface LimitMeasurement {
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

async function measureSpans(
  { session }: ExampleStore,
  name: string,
  { limit, spans, summary }: LimitScenario,
  model: SimulatedModel,
  folders: readonly RunFolder[],
  log: Log,
): Promise<LimitMeasurement> {
  while (model.stats().received === 0) await sleep(50);
  const start = performance.now();
  const countsAt = async (seconds: number) => {
    await sleep(Math.max(0, start + seconds * 1000 - performance.now()));
    const { completed, promptTokens, completionTokens, perQuestion } = model.stats();
    return {
      atMs: performance.now(),
      units: limit.tokensPerMinute === undefined ? completed : promptTokens + completionTokens,
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
      const before = await countsAt(span.fromSeconds);
      const after = await countsAt(span.toSeconds);
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

function findingsOf(measured: readonly LimitMeasurement[]): Findings {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const rows = measured.flatMap(({ summary, used, refusedShare, runs, retries }) =>
    used.map(({ fromSeconds, toSeconds, share }, index) => {
      const span = [`${fromSeconds}–${toSeconds}`, percent(share)];
      return index === 0
        ? [summary, ...span, percent(refusedShare), runs.map(percent).join(', '), String(retries)]
        : ['', ...span];
    }),
  );
  return {
    tables: [
      markdownTable(
        ['provider', 'seconds', 'limit used', 'refused', 'calls of each run', 'retries'],
        rows,
      ),
    ],
    figures: { latencyMs, scenarios: measured },
    problems: measured.flatMap(({ summary, used, refusedShare, runs, retries, failures }) =>
      [
        ...used
          .filter(({ share }) => share < leastUsed)
          .map(
            ({ fromSeconds, share }) => `only ${share.toFixed(3)} used from ${fromSeconds} s on`,
          ),
        ...(refusedShare > mostRefused ? [`${refusedShare.toFixed(3)} refused`] : []),
        ...(runs.some((share) => share * runs.length < leastOfFairShare)
          ? ['the runs do not share fairly']
          : []),
        ...(retries + failures > 0 ? [`${retries} retries, ${failures} failures`] : []),
      ].map((problem) => `${summary}: ${problem}`),
    ),
  };
}
