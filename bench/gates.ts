import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readyServices } from '../client/services/ensure-services.js';
import { connectTemporal } from '../client/services/session.js';
import { packageRoot } from '../client/services/versions.js';
import { environmentSchema } from '../domain/settings.js';
import { percentile } from '../domain/statistics/latencies.js';
import { startSimulatedModel } from '../simulator/simulated-model.js';
import { databaseUse, temporalDatabase } from '../storage/temporal-database.js';
import { workflowNames } from '../workflows/messages.js';
import {
  markdownTable,
  problemsOf,
  ratioTable,
  type Benchmark,
  type BenchmarkOptions,
  type Findings,
  type Ratio,
} from './benchmark.js';
import { turnwise, type Command } from './chaos/command-line.js';
import { servicesOf } from './chaos/kill-service.js';
import { eventually } from './services/eventually.js';

export const gatesBenchmark: Benchmark = {
  summary:
    'thousands of items of a dataset that wait for a person (--items N, 5,000 unless set): the pages, the server',
  run: measureGates,
};

const usualItems = 5_000;
/** Requests of a page. */
const rounds = 10;

async function measureGates(
  log: (step: string) => void,
  { items = usualItems }: BenchmarkOptions,
): Promise<Findings> {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-gates-'));
  const examples = join(packageRoot, 'examples/database-qa');
  const model = await startSimulatedModel({ script: join(examples, 'replies.json') });
  const settings = { TURNWISE_HOME: home, OPENAI_BASE_URL: model.url };
  const up = turnwise(['up'], settings);
  try {
    await eventually(() => (up.lastOutput().includes('Ctrl-C stops them') ? true : null));
    const before = await serverOf(home);
    const seeds = join(home, 'seeds.jsonl');
    writeFileSync(seeds, seedsOf(examples, items));
    log(`${items} items up to their first gate`);
    const what = ['--dataset', 'many', '--model', 'large', '--concurrency', '50', '--yes'];
    const startedMs = performance.now();
    await finished(turnwise(['dataset', 'build', seeds, ...what], settings));
    const buildMs = performance.now() - startedMs;
    const after = await serverOf(home);
    const histories = await historiesOf(settings);
    log('the pages');
    const pages = await pagesOf(settings);
    const perItem = (from: number, to: number): number => (to - from) / items / 1e3;
    const within = (name: string, ms: number): Ratio => ({
      name,
      value: ms / 1000,
      ...{ limit: 1, bound: 'at most' },
    });
    const ratios = [
      within('list of items, first time (s)', pages.firstListMs),
      within('list of items, median (s)', pages.listMs),
      within('an item, median (s)', pages.itemMs),
    ];
    const table = markdownTable(
      ['', 'in all', 'an item'],
      [
        ['items that wait', String(items), ''],
        ['drafting them (s)', (buildMs / 1000).toFixed(0), (buildMs / items / 1000).toFixed(3)],
        [
          'memory of the Temporal server (MB, kB)',
          `${(before.memory / 1e6).toFixed(0)} → ${(after.memory / 1e6).toFixed(0)}`,
          perItem(before.memory, after.memory).toFixed(1),
        ],
        [
          'database of the Temporal server (MB, kB)',
          `${(before.database / 1e6).toFixed(1)} → ${(after.database / 1e6).toFixed(1)}`,
          perItem(before.database, after.database).toFixed(1),
        ],
        ['history (kB)', '', (percentile(histories, 50) / 1e3).toFixed(1)],
        [
          'what the list sends (MB, kB)',
          (pages.listBytes / 1e6).toFixed(2),
          (pages.listBytes / items / 1e3).toFixed(2),
        ],
      ],
    );
    return {
      tables: [ratioTable(ratios), table],
      figures: { items, buildMs, before, after, historyBytes: percentile(histories, 50), pages },
      problems: problemsOf(ratios),
    };
  } finally {
    up.child.kill('SIGINT');
    await up.ended;
    await model.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function finished(command: Command): Promise<void> {
  if ((await command.ended) !== 0) throw new Error(command.lastOutput());
}

/** The example questions about databases in files again and again, each a little different. */
function seedsOf(examples: string, items: number): string {
  const lines = readFileSync(join(examples, 'questions.jsonl'), 'utf8')
    .trim()
    .split('\n')
    // The examples are a dataset: each line is such an object.
    .map((line) => JSON.parse(line) as Example)
    .filter(({ database }) => database.path !== undefined);
  return Array.from({ length: items }, (_, at) => {
    const { question = '', database } = lines[at % lines.length] ?? {};
    const path = join(examples, database?.path ?? '');
    return `${JSON.stringify({ question: `${question} (case ${at + 1})`, database: { path } })}\n`;
  }).join('');
}

interface Example {
  readonly question: string;
  readonly database: { readonly path?: string };
}

interface ServerUse {
  /** Bytes of the process that are in memory. */
  readonly memory: number;
  /** Bytes of its database, the log included. */
  readonly database: number;
}

async function serverOf(home: string): Promise<ServerUse> {
  const pid = servicesOf(home)?.services.find(({ name }) => name === 'temporal')?.pid ?? 0;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const memory = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  const use = await databaseUse(temporalDatabase(home));
  return { memory, database: use?.bytes ?? 0 };
}

/** Of so many items the histories are looked at. */
const historiesRead = 50;

async function historiesOf(settings: Readonly<Record<string, string>>): Promise<readonly number[]> {
  const environment = environmentSchema.parse(settings);
  const services = await readyServices(environment);
  if (!services) throw new Error('no services run');
  const client = await connectTemporal(services.temporalAddress, environment);
  try {
    const bytes: number[] = [];
    const query = `WorkflowType = '${workflowNames.datasetItem}'`;
    for await (const { workflowId } of client.workflow.list({ query, pageSize: historiesRead })) {
      // Lists have the size of an ended history only.
      bytes.push((await client.workflow.getHandle(workflowId).describe()).historySize ?? 0);
      if (bytes.length === historiesRead) break;
    }
    return bytes;
  } finally {
    await client.connection.close();
  }
}

/** How long a new `turnwise view` takes for what its pages ask for. */
async function pagesOf(settings: Readonly<Record<string, string>>) {
  const view = turnwise(['view', '--no-open', '--json'], settings);
  try {
    const printed = await eventually(() =>
      view.lastOutput().includes('\n') ? view.lastOutput() : null,
    );
    // It prints this object.
    const { url } = JSON.parse(printed) as { readonly url: string };
    const { headers } = await get(url, '');
    const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
    const timed = async (path: string) => {
      const startedMs = performance.now();
      const { bytes, status } = await get(new URL(path, url).href, cookie);
      if (status !== 200) throw new Error(`${path} is answered with ${status}`);
      return { ms: performance.now() - startedMs, bytes };
    };
    const median = async (path: string): Promise<number> => {
      const times: number[] = [];
      for (let round = 0; round < rounds; round += 1) times.push((await timed(path)).ms);
      return percentile(times, 50);
    };
    const first = await timed('/data/datasets/many');
    return {
      firstListMs: first.ms,
      listBytes: first.bytes,
      listMs: await median('/data/datasets/many'),
      itemMs: await median('/data/datasets/many/items/library-1'),
    };
  } finally {
    view.child.kill('SIGINT');
    await view.ended;
  }
}

const get = (
  url: string,
  cookie: string,
): Promise<{
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: number;
}> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { headers: { cookie } }, (reply) => {
      let bytes = 0;
      reply.on('data', (part: Buffer) => (bytes += part.length));
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, bytes }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
