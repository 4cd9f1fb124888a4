import { markdownTable, type Benchmark, type Findings } from './benchmark.js';
import { withExampleStore } from './example-store.js';
import {
  latencyMs,
  measureScenario,
  type Measured,
  type Scenario,
  type Span,
} from './measure-limit.js';

const afterAMinute = (perMinute: number): readonly Span[] => [
  { fromSeconds: 60, toSeconds: 200, perMinute },
];
const tokensPerMinute = 2_400_000;

const scenarios: Readonly<Record<string, Scenario>> = {
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
/** Of a run beside another one. */
const leastOfHalf = 0.9;

/** All scenarios, and each by itself. */
export const limitsBenchmarks: Readonly<Record<string, Benchmark>> = {
  limits: benchmarkOf(
    'how much of a limit that nobody tells it turnwise uses, in four scenarios; takes a quarter of an hour',
    Object.keys(scenarios),
  ),
  ...Object.fromEntries(
    Object.entries(scenarios).map(([name, { summary }]) => [
      `limits-${name}`,
      benchmarkOf(`of them: ${summary}`, [name]),
    ]),
  ),
};

function benchmarkOf(summary: string, names: readonly string[]): Benchmark {
  return {
    summary,
    run: (tell) =>
      withExampleStore(tell, async (store) => {
        const measured: Measured[] = [];
        for (const name of names) {
          const scenario = scenarios[name];
          if (scenario) measured.push(await measureScenario(store, name, scenario, tell));
        }
        return findingsOf(measured);
      }),
  };
}

function findingsOf(measured: readonly Measured[]): Findings {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  return {
    tables: [
      markdownTable(
        ['provider', 'seconds', 'of the limit used', 'refused', 'calls of each run', 'retries'],
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
}: Measured): readonly string[] {
  return [
    ...used
      .filter(({ share }) => share < leastUsed)
      .map(
        ({ fromSeconds, share }) =>
          `${summary}: only ${share.toFixed(3)} used from ${fromSeconds} s on`,
      ),
    ...(refusedShare > mostRefused ? [`${summary}: ${refusedShare.toFixed(3)} refused`] : []),
    ...(runs.some((share) => share * runs.length < leastOfHalf)
      ? [`${summary}: the runs do not share fairly`]
      : []),
    ...(retries + failures > 0 ? [`${summary}: ${retries} retries, ${failures} failures`] : []),
  ];
}
