import { renameSync, writeFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeNameSchema, type StoreName } from '../../../../domain/ids.js';
import { createDuckdbTables } from '../../../../worker/adapters/duckdb/tables.js';
import { makeStore, filesIn } from '../../../support/stores/make-store.js';
import { createTablesUnderTest } from '../../../support/stores/tables-under-test.js';

const { tables, store, stores, query, rows, make, remove } = createTablesUnderTest();
const never = new AbortController().signal;
beforeAll(make);
afterAll(remove);

describe('ordinary SQL', () => {
  it('gives columns with DuckDB types and rows as plain JSON', async () => {
    const outcome = await query("SELECT 'a' AS t, count(*), 1 AS t, ['x'] AS l FROM papers");
    expect(outcome).toEqual({
      kind: 'rows',
      result: {
        columns: [
          { name: 't', type: 'VARCHAR' },
          { name: 'count_star()', type: 'BIGINT' },
          { name: 't', type: 'INTEGER' },
          { name: 'l', type: 'VARCHAR[]' },
        ],
        rows: [['a', 100, 1, ['x']]],
        more: false,
      },
    });
  });

  it.each([
    'SELECT title FROM papers LIMIT 1;',
    '-- a comment\nSELECT 1 /* another */ ; -- the end',
    'WITH recent AS (SELECT * FROM papers WHERE year > 2020) SELECT count(*) FROM recent',
    'VALUES (1, 2)',
    'FROM papers LIMIT 2',
    'TABLE papers',
    'DESCRIBE papers',
    'SHOW TABLES',
    'SUMMARIZE papers',
    'PIVOT papers ON year IN (2020, 2021) USING count(*) GROUP BY title',
    "SELECT * FROM information_schema.columns WHERE table_name = 'papers'",
    'SELECT table_name FROM duckdb_tables()',
    "SELECT * FROM pragma_table_info('papers')",
    'SELECT unnest([1, 2])',
    'SELECT * FROM range(3), generate_series(1, 2)',
    'SELECT title, row_number() OVER (ORDER BY year) FROM papers',
    "SELECT list_transform([1, 2], x -> x + 1), regexp_extract('ab', 'b'), now() IS NULL",
    "SELECT 'it''s; DROP TABLE papers; --' AS text",
  ])('runs %s', async (sql) => {
    expect((await rows(sql)).length).toBeGreaterThan(0);
  });

  it.each([
    ['SELECT * FROM range(10)', 10, false],
    ['SELECT * FROM range(11)', 10, true],
    ['SELECT * FROM range(1000000000000)', 10, true],
    ['SELECT * FROM papers WHERE false', 0, false],
  ])('stops %s after %i rows', async (sql, count, more) => {
    const outcome = await query(sql);
    expect(outcome).toMatchObject({ kind: 'rows', result: { more } });
    expect(outcome.kind === 'rows' && outcome.result.rows.length).toBe(count);
  });

  it('cuts a cell that is too long and says so in the cell', async () => {
    expect(await rows("SELECT repeat('x', 300000)")).toEqual([
      [`${'x'.repeat(200_000)}… [cut: 300000 characters in all]`],
    ]);
  });

  it('stops before the row that would exceed the size of a result', async () => {
    const outcome = await query("SELECT repeat('x', 150000) FROM range(1000)", { maxRows: 1000 });
    expect(outcome).toMatchObject({ kind: 'rows', result: { more: true } });
    expect(outcome.kind === 'rows' && outcome.result.rows.length).toBe(13);
  });
});

describe('errors a model can act on', () => {
  it.each([
    ['SELECT titel FROM papers', 'Binder Error: Referenced column "titel" not found'],
    ['SELECT titel FROM papers', 'Candidate bindings: "title"'],
    ['SELECT * FROM paper', 'Did you mean "papers"?'],
    ['SELEC 1', 'Parser Error: syntax error at or near "SELEC"'],
    ["SELECT 'a'::INTEGER", 'LINE 1:'],
    ['DROP TABLE papers', 'Only one SELECT statement can be run'],
    ['SELECT 1; SELECT 2', 'Only one statement can be run at a time, and the SQL holds 2.'],
    ["SELECT * FROM read_csv('x')", 'read_csv is not available'],
    ['', 'The SQL is empty.'],
  ])('answers %s with %s', async (sql, message) => {
    const outcome = await query(sql);
    expect(outcome.kind === 'sql-error' && outcome.message).toContain(message);
  });

  it('leaves out advice on settings', async () => {
    const outcome = await query('SELECT len(list(range)) FROM range(10000000000)');
    expect(outcome.kind).toBe('sql-error');
    expect(JSON.stringify(outcome)).not.toMatch(/SET |https:|solutions/);
  });
});

describe('texts by primary key', () => {
  const texts = (tableName: string, columnName: string, primaryKeys: readonly string[]) =>
    tables.texts({ store, tableName, columnName, primaryKeys }, never);

  it('finds texts by a UUID and passes over keys without a row', async () => {
    const [first] = await rows("SELECT paper_id FROM papers WHERE title = 'Paper 7'");
    const key = String(first);
    expect(await texts('papers', 'title', [key, crypto.randomUUID(), 'no uuid'])).toEqual(
      new Map([[key, 'Paper 7']]),
    );
  });

  it('finds texts by a composite key, without those that are NULL', async () => {
    expect(await texts('pairs', 'note', ['1,x', '2,y', '9,z'])).toEqual(
      new Map([['1,x', 'first']]),
    );
  });

  it('quotes names, and takes the first column where no key is declared', async () => {
    expect(await texts('odd name', 'te"xt', ["k'1"])).toEqual(new Map([["k'1", 'quoted']]));
  });
});

describe('the store file', () => {
  const requestTo = (name: StoreName) => ({
    database: { kind: 'store', name } as const,
    sql: 'SELECT 1',
    maxRows: 1,
    timeoutMs: 9_000,
  });

  it('is opened again when another file has taken its place', async () => {
    const swapped = storeNameSchema.parse('swapped');
    const ask = () => tables.query({ ...requestTo(swapped), sql: 'SELECT a FROM t' }, never);
    const current = await makeStore(stores, swapped, ['CREATE TABLE t AS SELECT 1 AS a']);
    expect(await ask()).toMatchObject({ result: { rows: [[1]] } });
    renameSync(await makeStore(stores, 'fresh', ['CREATE TABLE t AS SELECT 2 AS a']), current);
    expect(await ask()).toMatchObject({ result: { rows: [[2]] } });
  });

  it('is missing: the failure names the remedy', async () => {
    const failure = tables.query(requestTo(storeNameSchema.parse('nowhere')), never);
    await expect(failure).rejects.toMatchObject({ type: 'StoreMissing' });
    await expect(failure).rejects.toThrow('turnwise store add PATH… --store nowhere');
  });

  it('is damaged: the failure is final', async () => {
    const damaged = storeNameSchema.parse('damaged');
    writeFileSync(await makeStore(stores, damaged, []), 'This was a database once.');
    const request = requestTo(damaged);
    await expect(tables.query(request, never)).rejects.toMatchObject({ type: 'StoreMissing' });
  });

  it('is locked by a writer: the failure may pass', async () => {
    const held = storeNameSchema.parse('held');
    const writer = await DuckDBInstance.create(await makeStore(stores, held, []));
    const request = requestTo(held);
    await expect(tables.query(request, never)).rejects.toMatchObject({ type: 'StoreUnavailable' });
    writer.closeSync();
    expect(await tables.query(request, never)).toMatchObject({ result: { rows: [[1]] } });
  });

  it('cannot be asked when the query process does not start', async () => {
    const broken = createDuckdbTables({ ...filesIn(stores), entry: new URL('file:///nowhere.js') });
    const request = requestTo(store);
    await expect(broken.query(request, never)).rejects.toMatchObject({ type: 'StoreUnavailable' });
  });
});
