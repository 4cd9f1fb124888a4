import type { RunProgress } from '../domain/runs/run-progress.js';
import { percentile } from '../domain/statistics/latencies.js';
import { startSimulatedModel } from '../simulator/simulated-model.js';
import {
  markdownTable,
  problemsOf,
  ratioTable,
  type Benchmark,
  type Findings,
  type Ratio,
} from './benchmark.js';
import { turnwise } from './chaos/command-line.js';
import { withExampleStore, type ExampleStore } from './example-store.js';
import { runHistoryBytes } from './services/history-size.js';
import { serviceMemoryMib } from './services/memory.js';
import { askQuestions } from './question-run.js';

export const scaleBenchmark: Benchmark = {
  summary:
    'a run of 10,000 questions × 2 turns: memory, history, `status`; takes a quarter of an hour',
  run: (log, { questions = 10_000, turns = 2 }) =>
    withExampleStore(log, (store) =>
      measureScale(store, { questions, turns, inFlight: 100, every: questions / 10 }, log),
    ),
};

export interface Scale {
  readonly questions: number;
  readonly turns: number;
  readonly inFlight: number;
  /** Questions that end between two samples. */
  readonly every: number;
}

interface Sample {
  readonly ended: number;
  /** Resident memory of the worker, in MiB. */
  readonly workerMb: number;
  /** The same of the Temporal server. */
  readonly serverMb: number;
  /** The duration of the `turnwise status` command. */
  readonly statusMs: number;
}

export async function measureScale(
  store: ExampleStore,
  { questions, turns, inFlight, every }: Scale,
  log: (step: string) => void,
): Promise<Findings> {
  const script = { questions: [], prompts: [], generated: { turns } };
  const model = await startSimulatedModel({ script });
  const samples: Sample[] = [];
  let sampling: Promise<void> = Promise.resolve();
  let next = every;
  const onProgress = ({ summary: { ended } }: RunProgress): void => {
    if (ended < next) return;
    next += every;
    sampling = sampling.then(async () => {
      samples.push(await takeSample(store.home, ended));
      log(`${ended} of ${questions}`);
    });
  };
  try {
    const run = { name: 'scale', questions, inFlight, baseUrl: model.url };
    const { manifest, wallMs } = await askQuestions(store, run, {
      onProgress,
      onSilence: log,
    });
    await sampling;
    samples.push(await takeSample(store.home, questions));
    const histories = await runHistoryBytes(store.session.client, manifest.run);
    const [first] = samples;
    const last = samples.at(-1);
    const ratios: readonly Ratio[] = [
      {
        name: `memory of the worker at the end / at ${every} questions`,
        value: (last?.workerMb ?? 0) / (first?.workerMb ?? 1),
        limit: 1.2,
        bound: 'at most',
      },
      {
        name: `memory of the server at the end / at ${every} questions`,
        value: (last?.serverMb ?? 0) / (first?.serverMb ?? 1),
        limit: 1.2,
        bound: 'at most',
      },
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
    ];
    return {
      tables: [ratioTable(ratios), sampleTable(samples)],
      figures: { questions, turns, inFlight, wallMs, ratios, samples, histories },
      problems: problemsOf(ratios),
    };
  } finally {
    await model.close();
  }
}

async function takeSample(home: string, ended: number): Promise<Sample> {
  const durations: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    const start = performance.now();
    const command = turnwise(['status', 'scale'], { TURNWISE_HOME: home });
    if ((await command.ended) !== 0) throw new Error(command.lastOutput());
    durations.push(performance.now() - start);
  }
  return {
    ended,
    workerMb: serviceMemoryMib(home, 'worker', 'VmRSS') ?? 0,
    serverMb: serviceMemoryMib(home, 'temporal', 'VmRSS') ?? 0,
    statusMs: percentile(durations, 50),
  };
}

const sampleTable = (samples: readonly Sample[]): string =>
  markdownTable(
    ['questions ended', 'worker, MiB', 'server, MiB', '`status`, ms'],
    samples.map(({ ended, workerMb, serverMb, statusMs }) => [
      String(ended),
      workerMb.toFixed(0),
      serverMb.toFixed(0),
      statusMs.toFixed(0),
    ]),
  );
