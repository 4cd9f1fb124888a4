import { CommandLine } from '../../../../client/commands/shared/command-line.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { registerDataset } from '../../../../client/commands/dataset/dataset.js';
import type { CheckedLine } from '../../../../domain/building/dataset-check.js';
import { storeNameSchema } from '../../../../domain/ids.js';
import { writeTables } from '../../../../worker/adapters/duckdb/tables-file.js';
import { captureOutput } from '../../../support/commands/capture-output.js';
import { compiledEntry } from '../../../support/commands/compiled-entry.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';
import { by, random, seed, seededSuites, type Item } from '../../../support/seeded-faults.js';
import { readExamplePapers } from '../../../support/stores/example-library.js';
import { placeAt } from '../../../support/stores/place-at.js';

const programs = vi.hoisted(() => new Map<string, string>());
vi.mock('../../../../client/services/programs.js', async (original) => ({
  ...(await original<object>()),
  workerProgram: (name: string) => programs.get(name) ?? `there is no ${name}`,
}));

const folder = mkdtempSync(join(tmpdir(), 'turnwise-check-'));
const output = captureOutput();
beforeAll(async () => {
  const sql = compiledEntry('worker/execute-sql.ts', 'worker/adapters/duckdb/query-process.ts');
  const imports = compiledEntry('worker/import-databases.ts');
  programs.set('execute-sql', fileURLToPath(sql.entry));
  programs.set('import-databases', fileURLToPath(imports.entry));
  await makeExampleStore();
  return () => {
    sql.remove();
    imports.remove();
  };
});
afterEach(() => {
  process.exitCode = undefined;
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Store `papers`, with the example papers. */
async function makeExampleStore(): Promise<void> {
  const home = join(folder, 'home');
  vi.stubEnv('TURNWISE_HOME', home);
  const read = await readExamplePapers();
  const file = join(folder, 'papers.duckdb');
  await writeTables(
    file,
    (async function* () {
      for (const { rows } of read) yield await Promise.resolve(rows);
    })(),
  );
  const { generations } = placeAt(home);
  const store = storeNameSchema.parse('papers');
  await generations.publish({
    ...exampleManifest().store,
    key: 'k1',
    generation: 1,
    builtAt: '2026-01-01T00:00:00.000Z',
    papers: read.map(({ file: name, rows }) => ({
      paperId: String(rows.metadata[0]?.['paper_id']),
      title: name,
      file: name,
      sha256: '0'.repeat(64),
      pages: 1,
    })),
    files: { tables: await generations.add(store, 'tables', file) },
  });
}

interface Check {
  readonly faulty: number;
  readonly checks: readonly { readonly check: string; readonly faults: number }[];
  readonly items: readonly CheckedLine[];
}

async function check(file: string, ...args: readonly string[]): Promise<string> {
  output.stdout = '';
  const program = new CommandLine('turnwise');
  registerDataset(program);
  for (const command of program.commands[0]?.commands ?? []) {
    command.exitOverride().configureOutput({ writeErr: () => undefined });
  }
  await program.parseAsync(['dataset', 'check', file, ...args], { from: 'user' });
  return output.stdout;
}

async function checkItems(items: readonly (Item | string)[], ...args: readonly string[]) {
  const file = join(folder, 'dataset.jsonl');
  const lines = items.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  return JSON.parse(await check(file, '--json', ...args)) as Check;
}

describe('dataset check', () => {
  it('finds 200 seeded faults, and none where none was seeded', async () => {
    const draw = random(7);
    let seeded = 0;
    const missed: string[] = [];
    const falsely: string[] = [];
    for (const { name, items, faults, times, copies, flags } of seededSuites(folder)) {
      const before = await checkItems(items, ...flags);
      for (const { uuid, faults: own } of before.items) {
        if (own.length > 0) falsely.push(`${name} ${uuid ?? ''}: ${JSON.stringify(own)}`);
      }
      const { lines, expected } = seed(items, faults, { times, copies, by: draw });
      const after = await checkItems(lines, ...flags);
      const told = new Map(after.items.map((each) => [each.line, each.faults]));
      seeded += expected.size;
      for (const [line, kind] of expected) {
        const own = told.get(line) ?? [];
        // A gold that its scorer cannot use is a problem of the item already.
        if (own.some(({ check }) => check === kind || check === 'item')) continue;
        missed.push(`${name} line ${line} ${kind}: ${JSON.stringify([lines[line - 1], own])}`);
      }
    }
    expect(seeded).toBeGreaterThanOrEqual(200);
    // All of them, and none: what is allowed is 10 % and 2 %.
    expect(missed).toEqual([]);
    expect(falsely).toEqual([]);
  }, 300_000);

  const item = (uuid: string, more: object): Item => ({
    uuid,
    question: `What is ${uuid}?`,
    ...more,
  });
  const database = {
    ddl: 'CREATE TABLE t (a INTEGER, b VARCHAR); CREATE TABLE u (c INTEGER NOT NULL, d INTEGER);',
    rows: "INSERT INTO t VALUES (1, 'x'), (1, 'y'), (2, 'z'); INSERT INTO u VALUES (2, 2), (3, 3);",
  };
  const notIn = (table: string, column: string, where = ''): string =>
    `SELECT b FROM t WHERE a NOT IN (SELECT ${column} FROM ${table}${where})`;
  const sql = (gold_sql: string | readonly string[], more: object = {}) => ({
    database,
    evaluator: by('eval_execution_match', { gold_sql, ...more }),
  });

  const golds: readonly (readonly [string, object, string | null])[] = [
    ['the default rule', sql('SELECT a, b FROM t'), null],
    ['a full order', sql('SELECT a, b FROM t ORDER BY a, b'), null],
    ['an order that counts for nothing', sql('SELECT b FROM t ORDER BY a', { rule: 'bird' }), null],
    ['rows that tie and are the same', sql('SELECT 1 FROM t ORDER BY a'), null],
    ['a LIMIT that keeps all', sql('SELECT b FROM t ORDER BY b LIMIT 3'), null],
    ['a LIMIT between keys', sql('SELECT b FROM t ORDER BY a DESC LIMIT 1'), null],
    ['a column called now', sql('SELECT a AS "now()" FROM t -- random()'), null],
    ['zero rows that are counted', sql('SELECT count(*) FROM t WHERE a > 5'), null],
    ['a gold in CSV', sql([], { gold_csv: 'a\n1\n', gold_sql: undefined }), null],
    ['rows that tie', sql('SELECT b FROM t ORDER BY a'), 'gold-order'],
    ['ties behind an alias', sql('SELECT b, a AS n FROM t ORDER BY n DESC'), 'gold-order'],
    ['no order under spider2', sql('SELECT a FROM t', { rule: 'spider2-dbt' }), 'gold-order'],
    [
      'no order under livesql',
      sql('SELECT a FROM t', { rule: 'livesql', ordered: true }),
      'gold-order',
    ],
    ['a LIMIT through ties', sql('SELECT b FROM t ORDER BY a LIMIT 1'), 'gold-limit'],
    ['an OFFSET through ties', sql('SELECT b FROM t ORDER BY a LIMIT 2 OFFSET 1'), 'gold-limit'],
    ['a LIMIT without an order', sql('SELECT b FROM t LIMIT 2'), 'gold-limit'],
    [
      'a LIMIT inside',
      sql('SELECT count(*) FROM t WHERE b = (SELECT b FROM t ORDER BY a LIMIT 1)'),
      'gold-limit',
    ],
    ['the second gold of two', sql(['SELECT 1', 'SELECT b FROM t LIMIT 2']), 'gold-limit'],
    ['NOT IN, and no NULL allowed', sql(notIn('u', 'c')), null],
    ['NOT IN, and NULL left out', sql(notIn('u', 'd', ' WHERE d IS NOT NULL')), null],
    ['UNION ALL of what may be NULL', sql('SELECT a FROM t UNION ALL (SELECT d FROM u)'), null],
    ['NOT IN what may be NULL', sql(notIn('u', 'd')), 'gold-unstable'],
    ['NOT IN inside', sql(`SELECT count(*) FROM (${notIn('u', 'd')}) AS q`), 'gold-unstable'],
    ['NOT before', sql('SELECT b FROM t WHERE NOT t.a IN (SELECT d FROM u)'), 'gold-unstable'],
    ['more than ALL', sql('SELECT b FROM t WHERE a + 9 > ALL (SELECT d FROM u)'), 'gold-unstable'],
    ['the second of two', sql(['SELECT 1', notIn('u', 'd')]), 'gold-unstable'],
    ['chance', sql('SELECT b FROM t ORDER BY random()'), 'gold-varies'],
    ['the day', sql("SELECT b FROM t WHERE '2020-01-01' < current_date"), 'gold-varies'],
    ['no rows', sql('SELECT b FROM t WHERE a > 5'), 'gold-empty'],
    ['NULL alone', sql('SELECT max(b) FROM t WHERE a > 5'), 'gold-empty'],
    ['CSV without rows', sql([], { gold_csv: 'a,b\n', gold_sql: undefined }), 'gold-empty'],
    ['too many rows', sql('SELECT * FROM range(60000)'), 'gold-fails'],
    ['an error', sql('SELECT c FROM t'), 'gold-fails'],
    [
      'a file that is not there',
      { ...sql('SELECT 1'), database: { path: 'no.sqlite' } },
      'gold-fails',
    ],
    ['no database', { ...sql('SELECT 1'), database: undefined }, 'gold-fails'],
    [
      'columns that are not there',
      sql('SELECT a FROM t LIMIT 5', {
        rule: 'spider2-lite',
        condition_cols: [7],
        ignore_order: true,
      }),
      'gold-scores',
    ],
  ];

  it('says what is wrong with gold SQL, and nothing of what is right', async () => {
    const { items } = await checkItems(golds.map(([, more], at) => item(`q${at}`, more)));
    const told = items.map(({ faults }, at) => [golds[at]?.[0], faults.map((each) => each.check)]);
    expect(told).toEqual(golds.map(([name, , is]) => [name, is === null ? [] : [is]]));
  });

  it('prints each fault with its line, its uuid and its reason, and ends with 1', async () => {
    const file = join(folder, 'faulty.jsonl');
    const lines = [
      JSON.stringify(item('good', { evaluator: by('eval_int_exact_match', { gold: 3 }) })),
      '',
      '{"uuid": "cut',
      JSON.stringify(item('bare', {})),
    ];
    writeFileSync(file, lines.join('\n'));
    const shown = await check(file);
    expect(shown).toMatch(/^3 +– +item +is not a JSON object/m);
    expect(shown).toMatch(/^4 +bare +no-scorer +it has neither evaluator nor reference answer$/m);
    expect(shown).toMatch(/^cannot-fail +an empty answer, a refusal.* 0$/m);
    expect(shown).toContain('3 items, 2 with faults');
    expect(process.exitCode).toBe(1);
    await check(file, '--skip', 'item', '--skip', 'no-scorer');
    expect(process.exitCode).toBe(0);
  });

  it('reads a JSON list, as a run does', async () => {
    const file = join(folder, 'list.json');
    writeFileSync(
      file,
      '[\n {"uuid": "a", "question": "How many?"},\n {"uuid": "b", "question": "Where?"}\n]\n',
    );
    await check(file);
    expect(process.exitCode).toBe(0);
  });

  it('has no fault where nothing is to be scored, or another one says what a scorer is', async () => {
    expect((await checkItems([item('a', {}), item('b', {})])).faulty).toBe(0);
    expect(process.exitCode).toBe(0);
  });

  it('executes gold SQL on a store, for questions that name no database', async () => {
    const evaluator = by('eval_execution_match', { gold_sql: 'SELECT count(*) FROM metadata' });
    expect((await checkItems([item('q', { evaluator })], '--store', 'papers')).faulty).toBe(0);
  });

  it.each<[string, readonly string[], string]>([
    ['a file that is not there', ['nowhere.jsonl'], 'nowhere.jsonl cannot be read'],
    ['a store that is not there', ['faulty.jsonl', '--store', 'gone'], "no store 'gone'"],
    ['a check that is none', ['faulty.jsonl', '--skip', 'spelling'], 'commander.invalidArgument'],
  ])('refuses %s', async (_name, [file = '', ...flags], message) => {
    const failure: unknown = await check(join(folder, file), ...flags).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject(
      message.startsWith('commander')
        ? { code: message }
        : { name: 'UserError', status: 2, message: expect.stringContaining(message) as unknown },
    );
  });
});
