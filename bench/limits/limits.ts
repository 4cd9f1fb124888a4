import { markdownTable, type Benchmark, type Findings } from '../benchmark.js';
import { withExampleStore } from '../example-store.js';
import {
  latencyMs,
  measureScenario,
  type LimitMeasurement,
  type LimitScenario,
  type Span,
} from './measure-limit.js';

const afterAMinute = (perMinute: number): readonly Span[] => [
  { fromSeconds: 60, toSeconds: 200, perMinute },
];
const tokensPerMinute = 2_400_000;

const scenarios: Readonly<Record<string, LimitScenario>> = {
  requests: {
    summary: '600 requests a minute',
    unit: 'requests',
    perMinute: 600,
    runs: ['auto'],
    workers: 1,
    spans: afterAMinute(600),
  },
  tokens: {
    summary: '2.4 million tokens a minute',
    unit: 'tokens',
    perMinute: tokensPerMinute,
    runs: ['auto'],
    workers: 1,
    spans: afterAMinute(tokensPerMinute),
  },
  workers: {
    summary: '600 requests a minute, two workers, two runs',
    unit: 'requests',
    perMinute: 600,
    runs: ['auto', 'auto'],
    workers: 2,
    spans: afterAMinute(600),
  },
  changes: {
    summary: '600 requests a minute, halved after 90 s, doubled after 180 s',
    unit: 'requests',
    perMinute: 600,
    limitChanges: [
      { afterSeconds: 90, factor: 0.5 },
      { afterSeconds: 180, factor: 1 },
    ],
    runs: ['auto'],
    workers: 1,
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

/** A benchmark of all scenarios, and one of each. */
export const limitsBenchmarks: Readonly<Record<string, Benchmark>> = {
  limits: benchmarkOf(
    'the used share of a limit that the provider does not advertise, in four scenarios; takes a quarter of an hour',
    Object.keys(scenarios),
  ),
  ...Object.fromEntries(
    Object.entries(scenarios).map(([name, { summary }]) => [
      `limits-${name}`,
      benchmarkOf(`only ${summary}`, [name]),
    ]),
  ),
};

function benchmarkOf(summary: string, names: readonly string[]): Benchmark {
  return {
    summary,
    run: (log) =>
      withExampleStore(log, async (store) => {
        const measured: LimitMeasurement[] = [];
        for (const name of names) {
          const scenario = scenarios[name];
          if (scenario) measured.push(await measureScenario(store, name, scenario, log));
        }
        return findingsOf(measured);
      }),
  };
}

function findingsOf(measured: readonly LimitMeasurement[]): Findings {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  return {
    tables: [
      markdownTable(
        ['provider', 'seconds', 'limit used', 'refused', 'calls of each run', 'retries'],
        measured.flatMap(({ summary, used, refusedShare, runs, retries }) =>
          used.map(({ fromSeconds, toSeconds, share }, index) => [
            index === 0 ? summary : '',
            `${fromSeconds}–${toSeconds}`,
            percent(share),
            index === 0 ? percent(refusedShare) : '',
            index === 0 ? runs.map(percent).join(', ') : '',
            index === 0 ? String(retries) : '',
          ]),
        ),
      ),
    ],
    figures: { latencyMs, scenarios: measured },
    problems: measured.flatMap(problemsOf),
  };
}

function problemsOf({
  summary,
  used,
  refusedShare,
  runs,
  retries,
  failures,
}: LimitMeasurement): readonly string[] {
  return [
    ...used
      .filter(({ share }) => share < leastUsed)
      .map(
        ({ fromSeconds, share }) =>
          `${summary}: only ${share.toFixed(3)} used from ${fromSeconds} s on`,
      ),
    ...(refusedShare > mostRefused ? [`${summary}: ${refusedShare.toFixed(3)} refused`] : []),
    ...(runs.some((share) => share * runs.length < leastOfFairShare)
      ? [`${summary}: the runs do not share fairly`]
      : []),
    ...(retries + failures > 0 ? [`${summary}: ${retries} retries, ${failures} failures`] : []),
  ];
}
