import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executeRun } from '../client/runs/execute-run.js';
import { prepareRun } from '../client/runs/prepare-run.js';
import { loadEnvironment } from '../client/services/environment.js';
import { withServices } from '../client/services/session.js';
import { totalsOf } from '../client/views/run-end.js';
import { runIdSchema } from '../domain/ids.js';
import { defaultRunConfig } from '../domain/runs/run-config.js';
import { startSimulatedModel } from '../simulator/simulated-model.js';
import {
  markdownTable,
  problemsOf,
  ratioTable,
  type Benchmark,
  type Findings,
} from './benchmark.js';
import type { ServiceName } from '../domain/services.js';
import { servicesOf } from './chaos/kill-service.js';
import { serviceCpuMs } from './cpu-time.js';

export const databaseBenchmark: Benchmark = {
  summary:
    '1,000 questions over 200 databases with method sequential, 100 in flight; takes two minutes',
  run: (log) => measureDatabases(usualLoad, log),
};

export interface DatabaseLoad {
  readonly questions: number;
  readonly databases: number;
  readonly inFlight: number;
  readonly latencyMs: number;
}

const usualLoad: DatabaseLoad = { questions: 1000, databases: 200, inFlight: 100, latencyMs: 2000 };

/** The model calls of a question with method `sequential`: the plan, the queries, the answer. */
const callsEach = 3;

export async function measureDatabases(
  { questions, databases, inFlight, latencyMs }: DatabaseLoad,
  log: (step: string) => void,
): Promise<Findings> {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-bench-'));
  const environment = { ...loadEnvironment(), TURNWISE_HOME: home };
  const model = await startSimulatedModel({
    latencyMs,
    script: { questions: [], databaseQuestions: [], prompts: [], generated: { turns: 2 } },
  });
  try {
    return await withServices(environment, async (session) => {
      log(`${questions} questions over ${databases} databases, ${latencyMs} ms a call`);
      const begin = performance.now();
      const { manifest } = await prepareRun({
        home,
        run: runIdSchema.parse('databases'),
        dataset: { path: join(home, 'questions.jsonl'), text: datasetOf(questions, databases) },
        store: null,
        config: {
          ...defaultRunConfig,
          method: 'sequential',
          concurrency: inFlight,
          model: { ...defaultRunConfig.model, name: 'simulated', baseUrl: model.url },
        },
      });
      const importMs = performance.now() - begin;
      const start = performance.now();
      const cpu = serviceCpuMs(home);
      const watcher = { onProgress: () => undefined, onSilence: () => undefined };
      const end = await executeRun(session, environment, manifest, watcher);
      const wallMs = performance.now() - start;
      const used = serviceCpuMs(home);
      const cpuMs = Object.fromEntries(
        Object.entries(used).map(([name, ms]) => [
          name,
          (ms - cpu[name as ServiceName]) / questions,
        ]),
      );
      const answered = totalsOf(manifest.run, end).outcomes.answered ?? 0;
      const idealMs = Math.ceil(questions / inFlight) * callsEach * latencyMs;
      const memoryMib = peakMemoryMib(home);
      const ratios = [
        { name: 'wall / ideal', value: wallMs / idealMs, limit: 1.1, bound: 'at most' },
        { name: 'answered', value: answered, limit: questions, bound: 'at least' },
      ] as const;
      const facts = [
        ...Object.entries(cpuMs).map(([name, ms]) => [
          `ms of CPU a question, ${name}`,
          ms.toFixed(0),
        ]),
        ['seconds to import the databases', (importMs / 1000).toFixed(1)],
        ['MiB of the worker at its peak', memoryMib === null ? 'unknown' : memoryMib.toFixed(0)],
      ];
      return {
        tables: [ratioTable(ratios), markdownTable(['', 'measured'], facts)],
        figures: {
          questions,
          databases,
          inFlight,
          latencyMs,
          wallMs,
          idealMs,
          answered,
          cpuMs,
          importMs,
          memoryMib,
        },
        problems: problemsOf(ratios),
      };
    });
  } finally {
    await model.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Questions that take the databases in turn. */
function datasetOf(questions: number, databases: number): string {
  const line = (index: number): object => {
    const number = index % databases;
    return {
      uuid: `q-${index + 1}`,
      question: `How do the readings of station ${number} develop over the years (${index})?`,
      database: {
        ddl: 'CREATE TABLE station (id INTEGER PRIMARY KEY, name VARCHAR); CREATE TABLE reading (station INTEGER, year INTEGER, level DOUBLE);',
        rows: `INSERT INTO station VALUES (${number}, 'Station ${number}'); INSERT INTO reading VALUES (${number}, 2023, 1.5), (${number}, 2024, ${number});`,
      },
    };
  };
  return Array.from({ length: questions }, (_, index) => `${JSON.stringify(line(index))}\n`).join(
    '',
  );
}

/** Of the worker itself, without its query processes; null on a system without /proc. */
function peakMemoryMib(home: string): number | null {
  try {
    const worker = servicesOf(home)?.services.findLast(({ name }) => name === 'worker');
    if (worker === undefined) return null;
    const [, kib] =
      /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${worker.pid}/status`, 'utf8')) ?? [];
    return kib === undefined ? null : Number(kib) / 1024;
  } catch {
    return null;
  }
}
