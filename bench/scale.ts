import { withSession } from '../client/commands/shared/execute.js';
import { loadEnvironment } from '../client/services/environment.js';
import { runIdSchema } from '../domain/ids.js';
import { percentile } from '../domain/statistics/latencies.js';
import {
  markdownTable,
  problemsOf,
  ratioTable,
  type Benchmark,
  type Findings,
  type Ratio,
} from './benchmark.js';
import { turnwise } from './chaos/command-line.js';
import {
  killAndResume,
  resumedRatios,
  untilAnswered,
  withKilledRun,
  type KilledRun,
  type RunSize,
} from './kill-and-resume.js';
import { runHistoryBytes } from './services/history-size.js';
import { serviceMemoryMib } from './services/memory.js';

export const scaleBenchmark: Benchmark = {
  summary:
    'a run of 10,000 questions × 2 turns, in which everything is killed once: memory, history, `status`, resumption; takes a quarter of an hour',
  run: (log, { questions = 10_000, turns = 2 }) => {
    const size = { questions, turns };
    return withKilledRun(run, size, {}, ['--concurrency', '100'], log, (killed) =>
      measureScale(killed, size, log),
    );
  },
};

interface Sample {
  /** Calls that are answered. */
  readonly answered: number;
  /** Resident memory of the worker, in MiB. */
  readonly workerMb: number;
  /** The same of the Temporal server. */
  readonly serverMb: number;
  /** The duration of the `turnwise status` command. */
  readonly statusMs: number;
}

const run = runIdSchema.parse('scale');

async function measureScale(
  killed: KilledRun,
  size: RunSize,
  log: (step: string) => void,
): Promise<Findings> {
  const { home, calls } = killed;
  const start = performance.now();
  const first = killed.command();
  const samples: Sample[] = [];
  for (let tenth = 1; tenth < 10; tenth += 1) {
    const answered = (calls * tenth) / 10;
    await untilAnswered(killed, answered, first);
    samples.push(await takeSample(home, answered));
    log(`${answered} of ${calls} calls answered`);
  }
  const untilKillMs = performance.now() - start;
  const resumed = await killAndResume(killed, first, log);
  const environment = { ...loadEnvironment(), TURNWISE_HOME: home };
  const histories = await withSession(environment, ({ client }) => runHistoryBytes(client, run));
  const ratios = [
    ...memoryRatios(samples),
    {
      name: "the run's largest history, in MB",
      value: Math.max(...histories) / 1e6,
      limit: 4,
      bound: 'at most',
    },
    {
      name: 'slowest `turnwise status`, in seconds',
      value: Math.max(...samples.map(({ statusMs }) => statusMs)) / 1000,
      limit: 1,
      bound: 'at most',
    },
    ...resumedRatios('killed at nine tenths', resumed),
  ] as const;
  return {
    tables: [ratioTable(ratios), sampleTable(samples)],
    figures: { ...size, untilKillMs, ratios, samples, resumed, histories },
    problems: problemsOf(ratios),
  };
}

function memoryRatios(samples: readonly Sample[]): readonly Ratio[] {
  const growth = (of: (sample: Sample) => number): number => {
    const [first, last] = [samples[0], samples.at(-1)];
    return first && last ? of(last) / of(first) : NaN;
  };
  const bound = { limit: 1.2, bound: 'at most' } as const;
  return [
    {
      name: 'memory of the worker at nine tenths / at one',
      value: growth(({ workerMb }) => workerMb),
      ...bound,
    },
    {
      name: 'memory of the server at nine tenths / at one',
      value: growth(({ serverMb }) => serverMb),
      ...bound,
    },
  ];
}

async function takeSample(home: string, answered: number): Promise<Sample> {
  const durations: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    const start = performance.now();
    const command = turnwise(['status', run], { TURNWISE_HOME: home });
    if ((await command.ended) !== 0) throw new Error(command.lastOutput());
    durations.push(performance.now() - start);
  }
  return {
    answered,
    workerMb: serviceMemoryMib(home, 'worker', 'VmRSS') ?? 0,
    serverMb: serviceMemoryMib(home, 'temporal', 'VmRSS') ?? 0,
    statusMs: percentile(durations, 50),
  };
}

const sampleTable = (samples: readonly Sample[]): string =>
  markdownTable(
    ['calls answered', 'worker, MiB', 'server, MiB', '`status`, ms'],
    samples.map(({ answered, workerMb, serverMb, statusMs }) => [
      String(answered),
      workerMb.toFixed(0),
      serverMb.toFixed(0),
      statusMs.toFixed(0),
    ]),
  );
