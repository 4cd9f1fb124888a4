import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { itemFile } from '../../../domain/building/build.js';
import { itemSchema, type Item } from '../../../domain/building/item.js';
import { datasetNameSchema, itemIdSchema } from '../../../domain/ids.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import { cookieOf, viewRequest } from '../../support/browser/view-request.js';
import {
  newHome,
  turnwise,
  type Finished,
  type Running,
  untilReady,
} from '../../support/command-line.js';
import { examples } from '../../support/stores/example-library.js';
import { hostileSql } from '../../support/stores/hostile-sql.js';

const home = newHome();
const canary = 'canary-of-the-file';
let model: SimulatedModel;
let up: Running;
let view: Running;

const settings = (): Readonly<Record<string, string>> => ({
  TURNWISE_HOME: home,
  OPENAI_BASE_URL: model.url,
  TURNWISE_CANARY: 'canary-of-the-environment',
});
const command = (...args: readonly string[]): Promise<Finished> =>
  turnwise(args, settings()).finished;

const itemOf = (): Item => {
  const file = itemFile(datasetNameSchema.parse('trial'), itemIdSchema.parse('library-1'));
  return itemSchema.parse(JSON.parse(readFileSync(join(home, file), 'utf8')));
};
/** All but what the services themselves write. */
const files = (): readonly string[] =>
  readdirSync(home, { recursive: true })
    .map(String)
    .filter((name) => !/^(logs|services|temporal|milvus|run)/.test(name) && !/sock|\.db/.test(name))
    .sort();

beforeAll(async () => {
  model = await startSimulatedModel({ script: join(examples, 'database-qa/replies.json') });
  up = turnwise(['up'], settings());
  await untilReady(up);
  const seeds = join(examples, 'database-qa/questions.jsonl');
  const what = ['--dataset', 'trial', '--model', 'large', '--items', '1', '--yes'];
  expect(await command('dataset', 'build', seeds, ...what)).toMatchObject({ status: 0 });
  const accept = ['--seen', '1', '--accept', '--wait'];
  const accepted = await command('dataset', 'confirm', 'trial', 'library-1', ...accept);
  expect(accepted).toMatchObject({ status: 0 });
  view = turnwise(['view', '--no-open', '--json'], settings());
  writeFileSync(join(home, 'canary.csv'), `${canary}\n1\n`);
});
afterAll(async () => {
  view.child.kill('SIGINT');
  await view.finished;
  up.child.kill('SIGINT');
  await up.finished;
  await model.close();
});

/** Sends a decision as the page does. */
async function page(): Promise<(choice: object) => ReturnType<typeof viewRequest>> {
  const printed = await view.says(/.*\n/);
  const at = JSON.parse(printed) as { readonly url: string; readonly port: number };
  const { port } = at;
  const cookie = await cookieOf(at);
  const { text } = await viewRequest(port, '/datasets', { headers: { cookie } });
  const secret = /name="turnwise-action" content="([^"]+)"/.exec(text)?.[1] ?? '';
  const headers = {
    ...{ cookie, origin: `http://127.0.0.1:${port}`, 'x-turnwise-action': secret },
    'content-type': 'application/json',
  };
  const path = '/actions/datasets/trial/items/library-1/decide';
  return (choice) => {
    const decision = { by: 'ann', seen: itemOf().revision, reason: '', choice };
    return viewRequest(port, path, { method: 'POST', headers, body: JSON.stringify(decision) });
  };
}

/** What DuckDB quotes of a statement is not a disclosure. */
const secretsIn = (said: string): readonly string[] =>
  [canary, 'canary-of-the-environment'].filter((secret) => said.includes(secret));

it('refuses every hostile edit of rows from the page and from the command line, and touches nothing', async () => {
  const before = itemOf();
  const stored = files();
  const decide = await page();
  const statements = hostileSql(home);
  for (const sql of statements) {
    const { status, text } = await decide({ kind: 'edit', text: sql });
    expect(status, `${sql.slice(0, 100)}: ${text}`).toBe(409);
    expect(secretsIn(text)).toEqual([]);
  }
  const file = join(home, 'rows.sql');
  const seen = String(before.revision);
  // Both send the same update. The command line reads a file besides.
  for (const sql of statements.filter((_, at) => at % 16 === 0)) {
    writeFileSync(file, sql);
    const edit = ['--seen', seen, '--edit', file];
    const { status, stderr } = await command('dataset', 'confirm', 'trial', 'library-1', ...edit);
    expect(status, sql.slice(0, 100)).toBe(2);
    expect(secretsIn(stderr)).toEqual([]);
  }
  expect(itemOf()).toEqual(before);
  expect(files()).toEqual([...stored, 'rows.sql'].sort());
  expect(readFileSync(join(home, 'canary.csv'), 'utf8')).toBe(`${canary}\n1\n`);
  expect(existsSync(join(home, 'written.csv'))).toBe(false);
  // It still takes rows that only fill its own tables.
  const rows = "INSERT INTO branches VALUES (1, 'Only One', '2020-01-01', 30)";
  expect(await decide({ kind: 'edit', text: rows })).toMatchObject({ status: 200 });
});
