import type { ServiceName } from '../domain/services.js';
import { askBare, requestsOf } from './bare/openai-loop.js';
import {
  atLeast,
  atMost,
  markdownTable,
  ratioFindings,
  type Benchmark,
  type Findings,
  type Log,
} from './benchmark.js';
import { withServedHome, type ServedHome } from './example-store.js';
import {
  answerQuestions,
  conversationsOf,
  linesOf,
  prepareQuestions,
  withModel,
} from './question-run.js';
import { serviceCpuMs, serviceMemoryMib } from './services/usage.js';

export const databaseBenchmark: Benchmark = {
  summary:
    '1,000 questions over 200 databases with method sequential, 100 in flight; takes five minutes',
  run: (log) => withServedHome((served) => measureDatabases(served, log)),
};

const load = { questions: 1000, databases: 200, inFlight: 100, latencyMs: 2000 };
const { questions, databases, inFlight, latencyMs } = load;

/** The model calls of a question with method `sequential`: the plan, the queries, the answer. */
const callsEach = 3;

async function measureDatabases(served: ServedHome, log: Log): Promise<Findings> {
  const { home } = served;
  log(`${questions} questions over ${databases} databases, ${latencyMs} ms a call`);
  const endpoint = { latencyMs, seed: 7, script: conversationsOf(2) };
  const fixed = await withModel(endpoint, ({ url }) => askAll(served, 'fixed', url));
  log('the same, ± 50 %, and a loop around openai with the same requests');
  const jitter = { ...endpoint, jitter: 0.5 };
  const jittered = await withModel(jitter, ({ url }) => askAll(served, 'jittered', url));
  const requests = await requestsOf(home, jittered.manifest);
  // What ends last cannot be shared out: such a loop does not reach the mean either.
  const bareMs = await withModel(jitter, ({ url }) => askBare(url, requests, inFlight));
  const idealMs = Math.ceil(questions / inFlight) * callsEach * latencyMs;
  const memoryMib = serviceMemoryMib(home, 'worker', 'VmHWM');
  const seconds = latencyMs / 1000;
  const ratios = [
    atMost(`wall / ideal, every call takes ${seconds} s`, fixed.wallMs / idealMs, 1.1),
    atMost(
      `wall / loop around \`openai\`, calls of ${seconds} s ± 50 %`,
      jittered.wallMs / bareMs,
      1.06,
    ),
    atLeast('answered', Math.min(fixed.answered, jittered.answered), questions),
  ];
  const facts = [
    ...Object.entries(fixed.cpuMs).map(([name, ms]) => [
      `ms of CPU a question, ${name}`,
      ms.toFixed(0),
    ]),
    ['seconds to import the databases', (fixed.importMs / 1000).toFixed(1)],
    ['MiB of the worker at its peak', memoryMib.toFixed(0)],
  ];
  const figures = { load, idealMs, bareMs, fixed, jittered, memoryMib };
  return ratioFindings(ratios, figures, markdownTable(['', 'measured'], facts));
}

/** `cpuMs` is of a question, by service. */
async function askAll(served: ServedHome, name: string, baseUrl: string) {
  const begin = performance.now();
  const manifest = await prepareQuestions(
    { home: served.home, manifest: null },
    {
      ...{ name, inFlight, baseUrl },
      dataset: linesOf(Array.from({ length: questions }, (_, index) => questionOf(index))),
      config: { method: 'sequential' },
    },
  );
  const importMs = performance.now() - begin;
  const before = serviceCpuMs(served.home);
  const { totals, wallMs } = await answerQuestions(served, manifest);
  const cpuMs = Object.fromEntries(
    Object.entries(serviceCpuMs(served.home)).map(([service, ms]) => [
      service,
      // Both have a figure for each service.
      (ms - before[service as ServiceName]) / questions,
    ]),
  );
  return { manifest, wallMs, importMs, answered: totals.outcomes.answered ?? 0, cpuMs };
}

/** Questions take the databases in turn. */
function questionOf(index: number): object {
  const number = index % databases;
  return {
    uuid: `q-${index + 1}`,
    question: `How do the readings of station ${number} develop over the years (${index})?`,
    database: {
      ddl: 'CREATE TABLE station (id INTEGER PRIMARY KEY, name VARCHAR); CREATE TABLE reading (station INTEGER, year INTEGER, level DOUBLE);',
      rows: `INSERT INTO station VALUES (${number}, 'Station ${number}'); INSERT INTO reading VALUES (${number}, 2023, 1.5), (${number}, 2024, ${number});`,
    },
  };
}
