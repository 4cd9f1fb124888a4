import { readFileSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import { runWorkflowId, type RunId } from '../domain/ids.js';
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
import { servicesOf } from './chaos/victims.js';
import { withExampleStore, type ExampleStore } from './example-store.js';
import { askQuestions } from './question-run.js';

export const scaleBenchmark: Benchmark = {
  summary:
    'a run of 10,000 questions × 2 turns: memory, history, `status`; takes a quarter of an hour',
  run: (tell) => withExampleStore(tell, (store) => measureScale(store, usualScale, tell)),
};

export interface Scale {
  readonly questions: number;
  readonly turns: number;
  readonly inFlight: number;
  /** Ended questions between two looks. */
  readonly every: number;
}

const usualScale: Scale = { questions: 10_000, turns: 2, inFlight: 100, every: 1000 };

interface Look {
  readonly ended: number;
  /** Resident memory of the worker, in MiB. */
  readonly workerMb: number;
  /** What `turnwise status` took from its start to its end. */
  readonly statusMs: number;
}

export async function measureScale(
  store: ExampleStore,
  { questions, turns, inFlight, every }: Scale,
  tell: (step: string) => void,
): Promise<Findings> {
  const script = { questions: [], prompts: [], generated: { turns } };
  const model = await startSimulatedModel({ script });
  const looks: Look[] = [];
  let looking: Promise<void> = Promise.resolve();
  let next = every;
  const onProgress = ({ summary: { ended } }: RunProgress): void => {
    if (ended < next) return;
    next += every;
    looking = looking.then(async () => {
      looks.push(await look(store.home, ended));
      tell(`${ended} of ${questions}`);
    });
  };
  try {
    const run = { name: 'scale', questions, inFlight, baseUrl: model.url };
    const { manifest, wallMs } = await askQuestions(store, run, {
      onProgress,
      onSilence: tell,
    });
    await looking;
    looks.push(await look(store.home, questions));
    const histories = await runHistories(store.session.client, manifest.run);
    const [first] = looks;
    const last = looks.at(-1);
    const ratios: readonly Ratio[] = [
      {
        name: `memory of the worker at the end / at ${every} questions`,
        value: (last?.workerMb ?? 0) / (first?.workerMb ?? 1),
        limit: 1.2,
        isToBe: 'at most',
      },
      {
        name: "largest of the run's histories, in MB",
        value: Math.max(...histories) / 1e6,
        limit: 4,
        isToBe: 'at most',
      },
      {
        name: '`turnwise status`, in seconds, slowest',
        value: Math.max(...looks.map(({ statusMs }) => statusMs)) / 1000,
        limit: 1,
        isToBe: 'at most',
      },
    ];
    return {
      tables: [ratioTable(ratios), lookTable(looks)],
      figures: { questions, turns, inFlight, wallMs, ratios, looks, histories },
      problems: problemsOf(ratios),
    };
  } finally {
    await model.close();
  }
}

async function look(home: string, ended: number): Promise<Look> {
  const took: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    const start = performance.now();
    const command = turnwise(['status', 'scale'], { TURNWISE_HOME: home });
    if ((await command.ended) !== 0) throw new Error(command.lastWords());
    took.push(performance.now() - start);
  }
  return { ended, workerMb: workerMb(home), statusMs: percentile(took, 50) };
}

function workerMb(home: string): number {
  const pid = servicesOf(home)?.services.findLast(({ name }) => name === 'worker')?.pid;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}

/** Bytes of each history that the run has had. */
async function runHistories(client: Client, run: RunId): Promise<readonly number[]> {
  const bytes: number[] = [];
  const query = `WorkflowId = '${runWorkflowId(run)}'`;
  for await (const { historySize } of client.workflow.list({ query })) bytes.push(historySize ?? 0);
  return bytes;
}

const lookTable = (looks: readonly Look[]): string =>
  markdownTable(
    ['questions ended', 'worker, MiB', '`status`, ms'],
    looks.map(({ ended, workerMb: mb, statusMs }) => [
      String(ended),
      mb.toFixed(0),
      statusMs.toFixed(0),
    ]),
  );
