import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withServices } from '../client/services/session.js';
import { packageRoot } from '../client/services/versions.js';
import { environmentSchema } from '../domain/settings.js';
import { percentile } from '../domain/statistics/latencies.js';
import { databaseUse, temporalDatabase } from '../storage/temporal-database.js';
import { workflowNames } from '../workflows/messages.js';
import {
  atMost,
  markdownTable,
  ratioFindings,
  type Benchmark,
  type Findings,
  type Log,
} from './benchmark.js';
import { succeeded, turnwise } from './chaos/command-line.js';
import { withFolder } from './folders.js';
import { linesOf, withModel } from './question-run.js';
import { eventually } from './services/eventually.js';
import { serviceMemoryMib } from './services/usage.js';

export const gatesBenchmark: Benchmark = {
  summary:
    'thousands of items of a dataset that wait for a person (--items N, 5,000 unless set): the pages, the server',
  run: (log, { items = 5_000 }) =>
    withFolder((home) =>
      withModel({ script: join(examples, 'replies.json') }, async ({ url }) => {
        const settings = { TURNWISE_HOME: home, OPENAI_BASE_URL: url };
        const up = turnwise(['up'], settings);
        try {
          await eventually(() => up.lastOutput().includes('Ctrl-C stops them') || null);
          return await measureGates(items, settings, log);
        } finally {
          up.child.kill('SIGINT');
          await up.ended;
        }
      }),
    ),
};

const examples = join(packageRoot, 'examples/database-qa');
/** Requests of a page. */
const rounds = 10;

type Settings = Readonly<Record<'TURNWISE_HOME' | 'OPENAI_BASE_URL', string>>;

async function measureGates(items: number, settings: Settings, log: Log): Promise<Findings> {
  const home = settings.TURNWISE_HOME;
  const before = await serverOf(home);
  const seeds = join(home, 'seeds.jsonl');
  writeFileSync(seeds, seedsOf(items));
  log(`${items} items up to their first gate`);
  const what = ['--dataset', 'many', '--model', 'large', '--concurrency', '50', '--yes'];
  const startedMs = performance.now();
  await succeeded(turnwise(['dataset', 'build', seeds, ...what], settings));
  const buildMs = performance.now() - startedMs;
  const after = await serverOf(home);
  const historyBytes = percentile(await historiesOf(settings), 50);
  log('the pages');
  const pages = await pagesOf(settings);
  const growth = (what: string, of: keyof ServerUse, digits: number): readonly string[] => [
    `${what} of the Temporal server (MB, kB)`,
    `${(before[of] / 1e6).toFixed(digits)} → ${(after[of] / 1e6).toFixed(digits)}`,
    ((after[of] - before[of]) / items / 1e3).toFixed(1),
  ];
  const ratios = [
    atMost('list of items, first time (s)', pages.firstListMs / 1000, 1),
    atMost('list of items, median (s)', pages.listMs / 1000, 1),
    atMost('an item, median (s)', pages.itemMs / 1000, 1),
  ];
  const sent = pages.listBytes;
  const table = markdownTable(
    ['', 'in all', 'an item'],
    [
      ['items that wait', String(items), ''],
      ['drafting them (s)', (buildMs / 1000).toFixed(0), (buildMs / items / 1000).toFixed(3)],
      growth('memory', 'memory', 0),
      growth('database', 'database', 1),
      ['history (kB)', '', (historyBytes / 1e3).toFixed(1)],
      ['what the list sends (MB, kB)', (sent / 1e6).toFixed(2), (sent / items / 1e3).toFixed(2)],
    ],
  );
  return ratioFindings(ratios, { items, buildMs, before, after, historyBytes, pages }, table);
}

/** The example questions about databases in files again and again, each a little different. */
function seedsOf(items: number): string {
  const lines = readFileSync(join(examples, 'questions.jsonl'), 'utf8')
    .trim()
    .split('\n')
    // The examples are a dataset: each line is such an object.
    .map((line) => JSON.parse(line) as Example)
    .filter(({ database }) => database.path !== undefined);
  const seeds = Array.from({ length: items }, (_, at) => {
    const { question = '', database } = lines[at % lines.length] ?? {};
    const path = join(examples, database?.path ?? '');
    return { question: `${question} (case ${at + 1})`, database: { path } };
  });
  return linesOf(seeds);
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
  const memory = serviceMemoryMib(home, 'temporal', 'VmRSS') * 2 ** 20;
  const use = await databaseUse(temporalDatabase(home));
  return { memory, database: use?.bytes ?? 0 };
}

/** Of so many items the histories are looked at. */
const historiesRead = 50;

const historiesOf = (settings: Settings): Promise<readonly number[]> =>
  withServices(environmentSchema.parse(settings), async ({ client }) => {
    const bytes: number[] = [];
    const query = `WorkflowType = '${workflowNames.datasetItem}'`;
    for await (const { workflowId } of client.workflow.list({ query, pageSize: historiesRead })) {
      // Lists have the size of an ended history only.
      bytes.push((await client.workflow.getHandle(workflowId).describe()).historySize ?? 0);
      if (bytes.length === historiesRead) break;
    }
    return bytes;
  });

/** How long a new `turnwise view` takes for what its pages ask for. */
async function pagesOf(settings: Settings) {
  const view = turnwise(['view', '--no-open', '--json'], settings);
  try {
    const printed = await eventually(() => /^.*\n/.exec(view.lastOutput())?.[0]);
    // It prints this object.
    const { url } = JSON.parse(printed) as { readonly url: string };
    const { headers } = await fetch(url, { redirect: 'manual' });
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
    const timed = async (path: string) => {
      const startedMs = performance.now();
      const reply = await fetch(new URL(path, url), { headers: { cookie } });
      const { byteLength } = await reply.arrayBuffer();
      if (!reply.ok) throw new Error(`${path} is answered with ${reply.status}`);
      return { ms: performance.now() - startedMs, bytes: byteLength };
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
