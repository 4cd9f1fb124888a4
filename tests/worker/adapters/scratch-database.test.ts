import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ScratchOutcome, ScratchRequest } from '../../../activities/ports/building.js';
import { scratchTables } from '../../../domain/building/scratch-tables.js';
import type { DatabaseTable } from '../../../domain/stores/database.js';
import { exhaustingSql, hostileSql } from '../../support/stores/hostile-sql.js';
import { createTablesUnderTest } from '../../support/stores/tables-under-test.js';

const { tables, folder, ...underTest } = createTablesUnderTest();
const never = new AbortController().signal;

const column = (name: string, type: string, nullable = true) => ({
  ...{ name, type, nullable },
  description: '',
});
const table = (changes: Partial<DatabaseTable> & { readonly name: string }): DatabaseTable => ({
  ...{ description: '', rows: 0, primaryKey: [], foreignKeys: [] },
  columns: [column('title', 'VARCHAR')],
  ...changes,
});
/** With the names of the store in the hostile statements. */
const database = {
  tables: [
    table({
      name: 'papers',
      columns: [
        column('paper_id', 'INTEGER', false),
        column('title', 'VARCHAR', false),
        column('year', 'INTEGER'),
      ],
      primaryKey: ['paper_id'],
    }),
    table({
      name: 'odd "name',
      columns: [column('select', 'INTEGER'), column('où', 'DATE')],
      foreignKeys: [{ columns: ['select'], table: 'papers', references: ['paper_id'] }],
    }),
    table({
      name: 'tree',
      columns: [column('id', 'INTEGER'), column('parent', 'INTEGER')],
      primaryKey: ['id'],
      foreignKeys: [{ columns: ['parent'], table: 'tree', references: ['id'] }],
    }),
  ],
};

const fill = (changes: Partial<ScratchRequest>): Promise<ScratchOutcome> =>
  tables.scratch.fill(
    {
      ...scratchTables(database),
      inserts: [],
      queries: [],
      maxRows: 10,
      timeoutMs: 20_000,
      ...changes,
    },
    never,
  );
const paper = `INSERT INTO papers VALUES (1, 'First', 2001)`;
const count = 'SELECT count(*) FROM papers';
const countOf = (outcome: ScratchOutcome): unknown =>
  outcome.kind === 'filled' && outcome.results[0]?.kind === 'rows'
    ? outcome.results[0].result.rows[0]?.[0]
    : outcome;
const filesIn = (path: string): readonly string[] =>
  readdirSync(path, { recursive: true }).map(String).sort();

beforeAll(async () => {
  vi.stubEnv('TURNWISE_CANARY', 'canary-of-the-environment');
  await underTest.make();
});
afterAll(() => {
  vi.unstubAllEnvs();
  underTest.remove();
});

describe('a scratch database', () => {
  it('is filled in the order of its keys, and asked', async () => {
    const outcome = await fill({
      inserts: [
        `INSERT INTO "odd ""name" ("select", "où") VALUES (1, '2024-01-01')`,
        `insert into main.PAPERS (title, paper_id) select 'a; b', 1`,
        "INSERT INTO papers (paper_id, title) WITH t AS (SELECT 2) SELECT *, 'x' FROM t",
        'INSERT INTO tree VALUES (1, 1), (2, 1)',
      ],
      queries: [count, 'SELECT nothing FROM papers', 'DELETE FROM papers'],
    });
    expect(outcome).toMatchObject({
      kind: 'filled',
      tables: [
        {
          name: 'papers',
          result: {
            rows: [
              [1, 'a; b', null],
              [2, 'x', null],
            ],
          },
        },
        { name: 'odd "name', result: { rows: [[1, '2024-01-01']] } },
        {
          name: 'tree',
          result: {
            rows: [
              [1, 1],
              [2, 1],
            ],
          },
        },
      ],
      results: [
        { kind: 'rows', result: { rows: [[2]] } },
        { kind: 'error', message: expect.stringContaining('nothing') as string },
        { kind: 'error', message: expect.stringContaining('SELECT') as string },
      ],
    });
  });

  it.each([
    ['a key twice', [paper, paper], 'Duplicate key'],
    ['NULL where it must not be', [`INSERT INTO papers VALUES (1, NULL, 1)`], 'NOT NULL'],
    ['a text for a number', [`INSERT INTO papers VALUES ('one', 'x', 1)`], 'Conversion'],
    [
      'a row that refers to none',
      [`INSERT INTO "odd ""name" VALUES (7, NULL)`],
      'Violates foreign key',
    ],
    [
      'a row that refers to none of its own table',
      ['INSERT INTO tree VALUES (1, 9)'],
      'Table tree has a row with parent = 9, to which no row of table tree belongs',
    ],
    ['another table', ['INSERT INTO pages VALUES (1)'], 'there is no table pages'],
    [
      'another column',
      [`INSERT INTO papers (paper_id, author) VALUES (1, 'x')`],
      'no column author',
    ],
    ['too few values', [`INSERT INTO papers VALUES (1)`], 'has 3 columns but 1 values'],
    ['another database', ['INSERT INTO temp.papers VALUES (1)'], 'only INSERT INTO'],
    ['a clause after the rows', [`${paper} ON CONFLICT DO NOTHING`], 'syntax error'],
    ['what it returns', [`${paper} RETURNING *`], 'syntax error'],
    ['a replacement', [`INSERT OR REPLACE INTO papers VALUES (1, 'x', 1)`], 'only INSERT INTO'],
  ])('refuses %s, and names the statement', async (_, inserts, message) => {
    const outcome = await fill({ inserts });
    expect(outcome).toMatchObject({ kind: 'failed' });
    expect(outcome.kind === 'failed' && outcome.message).toContain(message);
  });

  it('says that a schema cannot be made', async () => {
    const creates = [{ name: 'a', columns: ['b'], sql: 'CREATE TABLE a (b NOTHING)' }];
    expect(await fill({ creates, orphans: [] })).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/^Table a cannot be created/) as string,
    });
  });
});

/** The few that only add rows to the scratch database itself. */
const harmless = [`INSERT INTO papers VALUES (uuid(), 'x', 1)`];

describe('hostile SQL in a scratch database', () => {
  it.each(hostileSql(folder).map((sql) => [sql]))('reaches nothing: %.100s', async (sql) => {
    const before = filesIn(folder);
    const inserts = [sql, `INSERT INTO papers (title) ${sql}`];
    for (const insert of inserts) {
      const outcome = await fill({ inserts: [insert] });
      if (!harmless.includes(insert)) expect(outcome.kind).toBe('failed');
      expect(saidBy(outcome, insert)).not.toMatch(/canary-of-the/);
    }
    const asked = await fill({ inserts: [paper], queries: [sql, count] });
    expect(asked).toMatchObject({ results: [{ kind: 'error' }, { kind: 'rows' }] });
    expect(saidBy(asked, sql)).not.toMatch(/canary-of-the/);
    expect(filesIn(folder)).toEqual(before);
  });

  // The tables are empty: what joins them ends at once.
  it.each(exhaustingSql.filter((sql) => !sql.includes('papers')))(
    'ends within its limits: %s',
    async (sql) => {
      const inserted = await fill({ inserts: [`INSERT INTO tree (id) ${sql}`], timeoutMs: 500 });
      expect(inserted.kind).toBe('failed');
      const asked = await fill({ inserts: [paper], queries: [sql], timeoutMs: 500 });
      expect(asked.kind === 'failed' || asked.results[0]?.kind === 'error').toBe(true);
      expect(countOf(await fill({ inserts: [paper], queries: [count] }))).toBe(1);
    },
  );

  it('knows nothing of other scratch databases', async () => {
    expect(countOf(await fill({ inserts: [paper], queries: [count] }))).toBe(1);
    expect(countOf(await fill({ queries: [count] }))).toBe(0);
  });
});

/** What DuckDB quotes of the statement itself is not a disclosure. */
const saidBy = (outcome: ScratchOutcome, sql: string): string =>
  JSON.stringify(outcome).replaceAll(JSON.stringify(sql).slice(1, -1), '');

it('fills a database of SQLite, which reaches no file and is only read', async () => {
  const outcome = await fill({
    engine: 'sqlite',
    creates: [{ name: 't', columns: [], sql: 'CREATE TABLE t (a INTEGER CHECK (a > 0))' }],
    inserts: [
      'INSERT INTO t VALUES (1)',
      'INSERT INTO t VALUES (-1)',
      `ATTACH '${folder}/other.sqlite' AS other; CREATE TABLE other.t (a)`,
      `VACUUM INTO '${folder}/copy.sqlite'`,
    ],
    queries: ['SELECT a FROM t', 'DELETE FROM t', "SELECT readfile('/etc/hostname')"],
  });
  expect(outcome).toMatchObject({
    kind: 'filled',
    results: [{ kind: 'rows', result: { rows: [[1]] } }, { kind: 'error' }, { kind: 'error' }],
  });
  expect(readdirSync(folder).filter((name) => name.endsWith('.sqlite'))).toEqual([]);
});
