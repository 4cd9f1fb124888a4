import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executeRun } from '../client/runs/execute-run.js';
import { prepareRun } from '../client/runs/prepare-run.js';
import { loadEnvironment } from '../client/services/environment.js';
import { withServices, type Session } from '../client/services/session.js';
import { totalsOf } from '../client/views/run-end.js';
import { runIdSchema } from '../domain/ids.js';
import { defaultRunConfig } from '../domain/runs/run-config.js';
import type { RunManifest } from '../domain/runs/run-manifest.js';
import {
  markdownTable,
  problemsOf,
  ratioTable,
  type Benchmark,
  type Findings,
} from './benchmark.js';
import type { ServiceName } from '../domain/services.js';
import type { Environment } from '../domain/settings.js';
import { askBare, requestsOf } from './bare/openai-loop.js';
import { withModel } from './question-run.js';
import { serviceCpuMs } from './services/cpu-time.js';
import { serviceMemoryMib } from './services/memory.js';

export const databaseBenchmark: Benchmark = {
  summary:
    '1,000 questions over 200 databases with method sequential, 100 in flight; takes five minutes',
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
  load: DatabaseLoad,
  log: (step: string) => void,
): Promise<Findings> {
  const { questions, databases, inFlight, latencyMs } = load;
  const home = mkdtempSync(join(tmpdir(), 'turnwise-bench-'));
  const environment = { ...loadEnvironment(), TURNWISE_HOME: home };
  try {
    return await withServices(environment, async (session) => {
      log(`${questions} questions over ${databases} databases, ${latencyMs} ms a call`);
      const asking = { session, environment, load };
      const fixedLatency = { latencyMs, seed: 7 };
      const jitteredLatency = { ...fixedLatency, jitter: 0.5 };
      const fixed = await withModel(fixedLatency, 2, (url) => askAll(asking, 'fixed', url));
      log('the same, ± 50 %, and a loop around openai with the same requests');
      const jittered = await withModel(jitteredLatency, 2, (url) =>
        askAll(asking, 'jittered', url),
      );
      const requests = await requestsOf(home, jittered.manifest);
      // What ends last cannot be shared out: such a loop does not reach the mean either.
      const bareMs = await withModel(jitteredLatency, 2, (url) => askBare(url, requests, inFlight));
      const idealMs = Math.ceil(questions / inFlight) * callsEach * latencyMs;
      const memoryMib = serviceMemoryMib(home, 'worker', 'VmHWM');
      const ratios = [
        {
          name: `wall / ideal, every call takes ${latencyMs / 1000} s`,
          value: fixed.wallMs / idealMs,
          limit: 1.1,
          bound: 'at most',
        } as const,
        {
          name: `wall / loop around \`openai\`, calls of ${latencyMs / 1000} s ± 50 %`,
          value: jittered.wallMs / bareMs,
          limit: 1.06,
          bound: 'at most',
        } as const,
        {
          name: 'answered',
          value: Math.min(fixed.answered, jittered.answered),
          limit: questions,
          bound: 'at least',
        } as const,
      ];
      const facts = [
        ...Object.entries(fixed.cpuMs).map(([name, ms]) => [
          `ms of CPU a question, ${name}`,
          ms.toFixed(0),
        ]),
        ['seconds to import the databases', (fixed.importMs / 1000).toFixed(1)],
        ['MiB of the worker at its peak', memoryMib === null ? 'unknown' : memoryMib.toFixed(0)],
      ];
      return {
        tables: [ratioTable(ratios), markdownTable(['', 'measured'], facts)],
        figures: { load, idealMs, bareMs, fixed, jittered, memoryMib },
        problems: problemsOf(ratios),
      };
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

interface Asking {
  readonly session: Session;
  readonly environment: Environment;
  readonly load: DatabaseLoad;
}

interface Asked {
  readonly manifest: RunManifest;
  readonly wallMs: number;
  readonly importMs: number;
  readonly answered: number;
  /** A question, by service. */
  readonly cpuMs: Readonly<Record<string, number>>;
}

async function askAll(
  { session, environment, load: { questions, databases, inFlight } }: Asking,
  run: string,
  baseUrl: string,
): Promise<Asked> {
  const home = environment.TURNWISE_HOME;
  const begin = performance.now();
  const { manifest } = await prepareRun({
    home,
    run: runIdSchema.parse(run),
    dataset: { path: join(home, 'questions.jsonl'), text: datasetOf(questions, databases) },
    store: null,
    config: {
      ...defaultRunConfig,
      method: 'sequential',
      concurrency: inFlight,
      model: { ...defaultRunConfig.model, name: 'simulated', baseUrl },
    },
  });
  const importMs = performance.now() - begin;
  const cpu = serviceCpuMs(home);
  const start = performance.now();
  const watcher = { onProgress: () => undefined, onSilence: () => undefined };
  const end = await executeRun(session, environment, manifest, watcher);
  const wallMs = performance.now() - start;
  const cpuAfter = serviceCpuMs(home);
  return {
    manifest,
    wallMs,
    importMs,
    answered: totalsOf(manifest.run, end).outcomes.answered ?? 0,
    cpuMs: Object.fromEntries(
      Object.entries(cpuAfter).map(([name, ms]) => [
        name,
        (ms - cpu[name as ServiceName]) / questions,
      ]),
    ),
  };
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
