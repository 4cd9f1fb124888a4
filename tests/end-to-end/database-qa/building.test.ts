import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kill, killService, servicesOf } from '../../../bench/chaos/command-line.js';
import { itemFile } from '../../../domain/building/build.js';
import { itemSchema, type Item } from '../../../domain/building/item.js';
import { datasetNameSchema, itemIdSchema } from '../../../domain/ids.js';
import { readDataset } from '../../../domain/runs/dataset.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import {
  checkout,
  eventually,
  newHome,
  program,
  turnwise,
  type Finished,
  type Running,
  untilReady,
} from '../../support/command-line.js';
import { newerVersion } from '../../support/newer-version.js';
import { examples } from '../../support/stores/example-library.js';

const home = newHome();
const dataset = datasetNameSchema.parse('trial');
let model: SimulatedModel;
let up: Running;

const startUp = async (installed = checkout): Promise<void> => {
  const command = join(installed, 'bin/turnwise.js');
  up = program([command, 'up'], { TURNWISE_HOME: home, OPENAI_BASE_URL: model.url });
  await untilReady(up);
};

beforeAll(async () => {
  model = await startSimulatedModel({ script: join(examples, 'database-qa/replies.json') });
  await startUp();
});

afterAll(async () => {
  up.child.kill('SIGINT');
  await up.finished;
  await model.close();
});

const begin = (...args: readonly string[]): Running =>
  turnwise(args, { TURNWISE_HOME: home, OPENAI_BASE_URL: model.url });

async function command(...args: readonly string[]): Promise<Finished> {
  return begin(...args).finished;
}

/** What a command prints with --json. */
async function json(...args: readonly string[]): Promise<unknown> {
  const { status, stdout, stderr } = await command(...args, '--json');
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

const itemOf = (id: string): Item =>
  itemSchema.parse(
    JSON.parse(readFileSync(join(home, itemFile(dataset, itemIdSchema.parse(id))), 'utf8')),
  );

const confirm = (id: string, seen: number, ...choice: readonly string[]): readonly string[] => [
  ...['dataset', 'confirm', dataset, id, '--seen', String(seen), '--by', 'ann'],
  ...choice,
];

/** Accepts what is left of an item. */
async function finish(id: string): Promise<void> {
  for (let { state, revision } = itemOf(id); state !== 'done'; { state, revision } = itemOf(id)) {
    const category = state === 'awaiting-answer' ? ['--category', 'interpretive'] : [];
    const done = await command(...confirm(id, revision, '--accept', ...category, '--wait'));
    expect(done.status, done.stderr).toBe(0);
  }
}

it('builds a dataset with people who decide, whatever is killed, that all agents can be run on', async () => {
  const seeds = join(examples, 'database-qa/questions.jsonl');
  const build = ['dataset', 'build', seeds, '--dataset', dataset, '--model', 'large'];
  const built = await json(...build, '--items', '4', '--licence', 'CC0-1.0', '--yes');
  expect(built).toMatchObject({ items: 4, started: 4, drafting: 0, held: [] });
  expect(await json('dataset', 'gates', dataset)).toMatchObject(
    Array.from({ length: 4 }, () => ({ gate: 'question', revision: 1 })),
  );

  // A person edits, rejects and accepts.
  const question = join(home, 'question.txt');
  writeFileSync(question, 'Which branch lent more in its second year?\n');
  const edited = await json(...confirm('library-2', 1, '--edit', question));
  expect(edited).toMatchObject({ state: 'awaiting-question', repeated: false });
  await json(...confirm('library-3', 1, '--reject', '--reason', 'too easy'));
  const late = await command(...confirm('library-2', 1, '--reject', '--reason', 'too late'));
  expect(late.status).toBe(2);
  expect(late.stderr).toMatch(/is not as it was seen \(1, now 2\): ann has edited the question at/);

  // The worker and then the server are killed while a decision is on its way.
  killService(home, 'worker');
  const inFlight = begin(...confirm('library-1', 1, '--accept'));
  await eventually(() => (killService(home, 'temporal') ? true : null));
  const before = await inFlight.finished;
  // A killed client knows nothing: the same command is given again.
  const again = await command(...confirm('library-1', 1, '--accept', '--wait'));
  expect(again.status, `${before.stderr}\n${again.stderr}`).toBe(0);
  expect(itemOf('library-1')).toMatchObject({ state: 'awaiting-rows' });
  expect(itemOf('library-1').decisions).toHaveLength(1);

  // Everything is killed while items wait, and the client while it decides. A newer version takes them over.
  const running = servicesOf(home);
  const client = begin(...confirm('library-2', 2, '--accept'));
  for (const { pid } of running === null ? [] : [running.supervisor, ...running.services]) {
    kill(pid);
  }
  client.child.kill('SIGKILL');
  await client.finished;
  await up.finished;
  await startUp(newerVersion(join(home, 'newer'), (bundle) => `// Of a newer version.\n${bundle}`));
  await finish('library-2');
  const decisions = itemOf('library-2').decisions.map(
    ({ gate, choice }) => `${gate} ${choice.kind}`,
  );
  expect(decisions).toEqual(['question edit', 'question accept', 'rows accept', 'answer accept']);

  // Rows that a person writes are tried out, and touch nothing else.
  const rows = join(home, 'rows.sql');
  const canary = join(home, 'canary.csv');
  const edit = confirm('library-1', itemOf('library-1').revision, '--edit', rows);
  writeFileSync(rows, `COPY branches TO '${canary}'`);
  const hostile = await command(...edit);
  expect(hostile.status).toBe(2);
  expect(hostile.stderr).toContain('only INSERT INTO table');
  expect(() => readFileSync(canary)).toThrow();
  writeFileSync(rows, "INSERT INTO branches VALUES (1, 'Only One', '2020-01-01', 30)");
  expect(await json(...edit)).toMatchObject({ state: 'awaiting-rows' });
  // The queries of the simulated model find no rows in the other tables.
  const accepted = confirm('library-1', itemOf('library-1').revision, '--accept', '--wait');
  expect(await json(...accepted)).toMatchObject({ state: 'parked' });
  expect(itemOf('library-1').gate?.parked).toMatchObject({ reason: 'query-failed' });
  const redo = confirm('library-1', itemOf('library-1').revision, '--redo', 'construct', '--wait');
  expect(await json(...redo)).toMatchObject({ state: 'awaiting-rows' });
  await finish('library-1');
  await finish('library-4');

  expect(await json('dataset', 'status', dataset)).toMatchObject({
    states: { done: 3, rejected: 1 },
    figures: { size: 3, interpretive: 3, databases: 3, tables: 6 },
  });
  const out = join(home, 'trial.jsonl');
  expect(await json('dataset', 'export', dataset, '--out', out)).toEqual({
    ...{ out, items: 3, notDone: 1 },
  });
  const reading = readDataset(readFileSync(out, 'utf8'));
  expect(reading.kind === 'items' ? reading.items : reading).toMatchObject([
    { uuid: 'library-1', category: 'interpretive', licence: 'CC0-1.0' },
    { uuid: 'library-2', question: 'Which branch lent more in its second year?' },
    { uuid: 'library-4', provenance: { dataset, schema: 'library' } },
  ]);

  // The script of the simulated model answers the seeds, and library-2 was edited.
  const asked = join(home, 'asked.jsonl');
  const lines = readFileSync(out, 'utf8')
    .split('\n')
    .filter((line) => /"uuid":"library-[14]"/.test(line));
  writeFileSync(asked, lines.join('\n'));
  for (const method of ['no-interaction', 'sequential', 'iterative']) {
    const options = ['--method', method, '--model', 'large', '--run', method, '--yes'];
    const ran = await command('run', asked, ...options);
    expect(ran.status, ran.stderr).toBe(0);
  }
  const page = join(home, 'report.html');
  const runs = ['no-interaction', 'sequential', 'iterative'];
  const report = await command('report', ...runs, '--out', page);
  expect(report.status, report.stderr).toBe(0);
  expect(readFileSync(page, 'utf8')).toContain('Table 2');
});
