import { CommandLine } from '../../../client/commands/shared/command-line.js';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { registerDataset } from '../../../client/commands/dataset/dataset.js';
import { registerScore } from '../../../client/commands/scores/score.js';
import { readDataset } from '../../../domain/runs/dataset.js';
import type { DatasetItem } from '../../../domain/scoring/dataset-item.js';
import { scoreSchema } from '../../../domain/scoring/score.js';
import { captureOutput } from '../../support/commands/capture-output.js';
import { compiledEntry } from '../../support/commands/compiled-entry.js';
import { runInSqlite } from '../../support/databases-under-test.js';

const programs = vi.hoisted(() => new Map<string, string>());
vi.mock('../../../client/services/programs.js', async (original) => ({
  ...(await original<object>()),
  workerProgram: (name: string) => programs.get(name) ?? `there is no ${name}`,
  packageVersion: () => '0.0.0',
}));

beforeAll(() => {
  const sql = compiledEntry(
    'worker/execute-sql.ts',
    'worker/adapters/duckdb/query-process.ts',
    'worker/adapters/sqlite/sqlite-thread.ts',
  );
  const imports = compiledEntry('worker/import-databases.ts');
  programs.set('execute-sql', fileURLToPath(sql.entry));
  programs.set('import-databases', fileURLToPath(imports.entry));
  return () => {
    sql.remove();
    imports.remove();
  };
});

let folder = '';
const output = captureOutput();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwise-benchmark-'));
  vi.stubEnv('TURNWISE_HOME', join(folder, 'home'));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Without how far the import of databases is, which is said where it takes long. */
const told = (): string => output.stderr.replaceAll(/^imports databases: .*\n/gm, '');
/** Nor what is said of golds, where the database is no such file. */
const toldOfOthers = (): string => told().replaceAll(/^question .*\n/gm, '');

/** Imports a folder with these files; values that are no text are written as JSON. */
async function importFolder(
  benchmark: string,
  files: Readonly<Record<string, unknown>>,
): Promise<readonly DatasetItem[]> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, 'published', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
  const program = new CommandLine('turnwise');
  registerDataset(program);
  const out = join(folder, 'made', 'dataset.jsonl');
  const args = [benchmark, join(folder, 'published'), '--out', out];
  await program.parseAsync(['dataset', 'import', ...args], { from: 'user' });
  const dataset = readDataset(readFileSync(out, 'utf8'));
  if (dataset.kind === 'problems') throw new Error(dataset.problems.join('\n'));
  return dataset.items;
}

const jsonl = (...values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

describe('Spider', () => {
  const singers = {
    db_id: 'concerts',
    question: 'How many singers are there?',
    query: 'SELECT count(*) FROM singer',
    query_toks: ['SELECT'],
    sql: { select: [] },
  };

  it('gives each question of each file its database, its gold and the rule', async () => {
    const items = await importFolder('spider', {
      'dev.json': [singers],
      'train_spider.json': [{ ...singers, question: 'Who sings?' }],
      'tables.json': [],
      'database/concerts/concerts.sqlite': 'x',
    });
    expect(items).toEqual([
      expect.objectContaining({
        uuid: 'spider-dev-0',
        question: singers.question,
        database: { path: '../published/database/concerts/concerts.sqlite' },
        tags: ['dev'],
        source: 'spider',
        provenance: { file: 'dev.json', index: 0, database: 'concerts' },
        evaluator: {
          eval_func: 'eval_execution_match',
          eval_kwargs: { gold_sql: singers.query, rule: 'spider' },
        },
      }),
      expect.objectContaining({ uuid: 'spider-train_spider-0', question: 'Who sings?' }),
    ]);
    expect(items[0]).not.toHaveProperty('sql');
  });

  it('leaves out what has no database here, and says how much', async () => {
    const items = await importFolder('spider', {
      'dev.json': [singers, { ...singers, db_id: 'pets' }, { ...singers, db_id: 'pets' }],
      'database/concerts/concerts.sqlite': 'x',
    });
    expect(items).toHaveLength(1);
    expect(toldOfOthers()).toBe('left out: 2 × database pets is not there\n');
  });

  it.each([
    [{}, /there is no dev\.json, test\.json or train_spider\.json in this folder/],
    [{ 'dev.json': 'x' }, /dev\.json: it is not a list in JSON/],
    [{ 'dev.json': [singers, { db_id: 'a' }] }, /dev\.json: question 2: question: /],
    [{ 'dev.json': [singers] }, /it holds no questions, all were left out: 1 × database concerts/],
  ])('is refused where it is not as published: %j', async (files, message) => {
    await expect(importFolder('spider', files)).rejects.toThrow(message);
  });
});

it('BIRD gives the evidence with the question', async () => {
  const question = { question_id: 7, db_id: 'schools', question: 'How many?', SQL: 'SELECT 1' };
  const items = await importFolder('bird', {
    'mini_dev_sqlite.json': [{ ...question, evidence: 'many = a > 1', difficulty: 'simple' }],
    'dev.json': [{ ...question, evidence: '' }],
    'mini_dev_mysql.json': [question],
    'dev_databases/schools/schools.sqlite': 'x',
    'dev_databases/schools/database_description/a.csv': 'original_column_name\n',
  });
  expect(items).toMatchObject([
    { uuid: 'bird-dev-7', question: 'How many?', tags: ['dev'] },
    {
      uuid: 'bird-mini_dev_sqlite-7',
      question: 'How many?\n\nExternal knowledge: many = a > 1',
      evidence: 'many = a > 1',
      tags: ['mini_dev_sqlite', 'simple'],
      database: { path: '../published/dev_databases/schools/schools.sqlite' },
      evaluator: { eval_kwargs: { gold_sql: 'SELECT 1', rule: 'bird' } },
    },
  ]);
});

it('Spider 2.0-lite gives its local questions every gold result, and counts those in clouds', async () => {
  const gold = 'evaluation_suite/gold';
  const question = (instance_id: string, more: object = {}) => ({
    instance_id,
    db: 'shop',
    question: `What of ${instance_id}?`,
    external_knowledge: null,
    ...more,
  });
  const items = await importFolder('spider2-lite', {
    'spider2-lite.jsonl': jsonl(
      question('bq001'),
      question('ga002'),
      question('sf_bq003'),
      question('local001', { external_knowledge: 'RFM.md' }),
      question('local002'),
      question('local0021'),
      question('local003', { db: 'gone' }),
      question('local004'),
    ),
    [`${gold}/spider2lite_eval.jsonl`]: jsonl(
      { instance_id: 'local001', condition_cols: [[1], [0]], ignore_order: true, toks: '9' },
      { instance_id: 'local002', condition_cols: [], ignore_order: false, toks: '9' },
    ),
    [`${gold}/exec_result/local001_a.csv`]: 'a,b\n1,2\n',
    [`${gold}/exec_result/local001_b.csv`]: 'b\n2\n',
    [`${gold}/exec_result/local002.csv`]: 'a\n1\n',
    [`${gold}/sql/local0021.sql`]: 'SELECT 21',
    'resource/documents/RFM.md': 'R is recency.\n',
    'resource/databases/spider2-localdb/shop.sqlite': 'x',
  });
  expect(items).toMatchObject([
    {
      uuid: 'local001',
      question: 'What of local001?\n\nExternal knowledge: R is recency.',
      database: { path: '../published/resource/databases/spider2-localdb/shop.sqlite' },
      evaluator: {
        eval_kwargs: {
          rule: 'spider2-lite',
          gold_csv: ['a,b\n1,2\n', 'b\n2\n'],
          condition_cols: [[1], [0]],
          ignore_order: true,
        },
      },
    },
    { uuid: 'local002', evaluator: { eval_kwargs: { gold_csv: ['a\n1\n'], ignore_order: false } } },
    { uuid: 'local0021', evaluator: { eval_kwargs: { gold_sql: 'SELECT 21' } } },
  ]);
  expect(toldOfOthers().trim().split('\n')).toEqual([
    'left out: 2 × its database is on BigQuery',
    'left out: 1 × its database is on Snowflake',
    'left out: 1 × database gone is not there',
    'left out: 1 × it has no gold result',
  ]);
});

it('DABench gives constraints, format and labels', async () => {
  const question = {
    id: 0,
    question: 'What is the mean fare?',
    concepts: ['Summary Statistics'],
    constraints: 'Round to two decimals.',
    format: '@mean_fare[value]',
    file_name: 'a b.csv',
    level: 'easy',
  };
  const items = await importFolder('dabench', {
    'da-dev-questions.jsonl': jsonl(question, { ...question, id: 5 }),
    'da-dev-labels.jsonl': jsonl({ id: 0, common_answers: [['mean_fare', '34.65']] }),
    'da-dev-tables/a b.csv': 'fare\n1\n',
  });
  expect(items).toMatchObject([
    {
      uuid: 'dabench-0',
      question: 'What is the mean fare?\n\nConstraints: Round to two decimals.',
      answer_format: '@mean_fare[value]',
      tags: ['easy', 'Summary Statistics'],
      database: { path: '../published/da-dev-tables/a b.csv' },
      evaluator: { eval_kwargs: { rule: 'dabench', gold: [['mean_fare', '34.65']] } },
    },
  ]);
  expect(output.stderr).toContain('left out: 1 × it has no label');
  expect(output.stdout).toContain('1 questions written to ');
});

describe('the golds of a benchmark on SQLite', () => {
  const asked: readonly (readonly [sql: string, predicted: string])[] = [
    [
      'SELECT DISTINCT `Academic Year` FROM meals WHERE `Charter School (Y/N)` = 1',
      `SELECT [Academic Year] FROM meals WHERE "Charter School (Y/N)" = '1' GROUP BY 1`,
    ],
    [
      "SELECT CAST(`Free Meal Count (K-12)` AS REAL) * 100 / `Enrollment (K-12)` FROM meals WHERE CDSCode = '1'",
      'SELECT 25',
    ],
    ["SELECT count(*) FROM meals WHERE strftime('%Y', OpenDate) > '2000'", 'SELECT 1'],
    ['SELECT count(*) FROM meals WHERE "County Name" LIKE "ALDER%"', 'SELECT 2'],
    ['SELECT sum(`Enrollment (K-12)`) / count(*) FROM meals', 'SELECT 233'],
    ['SELECT CDSCode FROM meals ORDER BY `Enrollment (K-12)` LIMIT 1', "SELECT '3'"],
    [
      "SELECT IIF(`Charter School (Y/N)` = 1, 'YES', 'NO') FROM meals WHERE CDSCode = '2'",
      "SELECT 'NO'",
    ],
  ];
  const script = `
    CREATE TABLE meals (CDSCode TEXT PRIMARY KEY, "Academic Year" TEXT, "Charter School (Y/N)" INTEGER,
      "Enrollment (K-12)" INTEGER, "Free Meal Count (K-12)" INTEGER, "County Name" TEXT, OpenDate DATE);
    INSERT INTO meals VALUES ('1', '2014-2015', 1, 400, 100, 'Alder', '2005-08-01'),
      ('2', '2014-2015', 0, 301, 7, 'Alderton', '1980-07-01'), ('3', '2015-2016', 1, NULL, 2, 'Birch', NULL)`;
  const questions = (golds: readonly string[]) =>
    golds.map((SQL, index) => ({
      ...{ question_id: index, db_id: 'school', question: `What is ${index}?`, evidence: '', SQL },
    }));
  const database = 'dev_databases/school/school.sqlite';
  const makeDatabase = (): void => {
    mkdirSync(dirname(join(folder, 'published', database)), { recursive: true });
    runInSqlite(join(folder, 'published', database), script);
  };

  it('run as SQLite runs them, and judge answers so: all of BIRD are right', async () => {
    makeDatabase();
    await importFolder('bird', { 'dev.json': questions(asked.map(([sql]) => sql)) });
    expect(told()).toBe('');
    expect(output.stdout).toMatch(
      /7 questions written to .*\ngold SQL of 7 questions: all give rows, \d.* in all, \d.* for the slowest, bird-dev-\d\n/,
    );

    const predictions = join(folder, 'predictions.jsonl');
    const lines = asked.map(([, sql], index) => ({ uuid: `bird-dev-${index}`, answer: sql }));
    writeFileSync(predictions, jsonl(...lines));
    const program = new CommandLine('turnwise');
    registerScore(program);
    const out = join(folder, 'scores.jsonl');
    const gold = join(folder, 'made', 'dataset.jsonl');
    const args = ['--predictions', predictions, '--gold', gold, '--out', out];
    await program.parseAsync(['score', ...args], { from: 'user' });
    const scores = readFileSync(out, 'utf8').trim().split('\n');
    expect(scores.map((line) => scoreSchema.parse(JSON.parse(line)).verdict)).toEqual(
      asked.map(() => expect.objectContaining({ kind: 'scored', score: 1 }) as unknown),
    );
  });

  it('that give nothing, or do not run, are named', async () => {
    makeDatabase();
    const wrong = ['SELECT 1 FROM meals WHERE 0', 'SELECT nowhere FROM meals', 'SELECT 1'];
    await importFolder('bird', { 'dev.json': questions(wrong) });
    expect(told()).toBe(
      'question bird-dev-0: its gold gives no rows\n' +
        'question bird-dev-1: its gold does not run: no such column: nowhere\n',
    );
    expect(output.stdout).toMatch(/^gold SQL of 3 questions: 1 give rows, /m);
  });
});
