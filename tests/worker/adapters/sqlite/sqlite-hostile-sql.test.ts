// cspell:ignore dbpage dbstat fsdir pgno
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createSqliteUnderTest } from '../../../support/stores/sqlite-under-test.js';

const sqlite = createSqliteUnderTest(`
  CREATE TABLE papers (id INTEGER PRIMARY KEY, title TEXT, year INTEGER);
  INSERT INTO papers WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
    SELECT i, 'Paper ' || i, 2015 + i % 10 FROM n;
  CREATE TABLE gone (secret TEXT); INSERT INTO gone VALUES ('canary-of-the-deleted'); DROP TABLE gone;
  CREATE VIEW years AS SELECT year, count(*) AS papers FROM papers GROUP BY year;
`);
const { folder, file } = sqlite;
writeFileSync(join(folder, 'canary.txt'), 'canary-of-the-file');
const other = join(folder, 'other.sqlite');
writeFileSync(other, readFileSync(file));
afterAll(sqlite.remove);

const sha256 = (): string => createHash('sha256').update(readFileSync(file)).digest('hex');
const files = (): readonly string[] => readdirSync(folder, { recursive: true }).map(String).sort();
const ordinary = async (): Promise<void> => {
  expect(await sqlite.rows('SELECT count(*), max(year) FROM papers')).toEqual([[100, 2024]]);
};

const hostile = [
  `ATTACH '${other}' AS other`,
  `ATTACH DATABASE '${join(folder, 'new.sqlite')}' AS made`,
  `ATTACH ':memory:' AS memory`,
  'DETACH main',
  `SELECT 1; ATTACH '${other}' AS other; SELECT * FROM other.papers`,
  'SELECT 1; SELECT 2',
  'SELECT 1; DROP TABLE papers',
  'VACUUM',
  `VACUUM INTO '${join(folder, 'stolen.sqlite')}'`,
  `VACUUM main INTO '${join(folder, 'stolen.sqlite')}'`,
  `SELECT load_extension('${join(folder, 'canary.txt')}')`,
  `SELECT readfile('${join(folder, 'canary.txt')}')`,
  `SELECT writefile('${join(folder, 'written')}', 'x')`,
  `SELECT edit('x', 'cat ${join(folder, 'canary.txt')}')`,
  `SELECT fts3_tokenizer('x', x'0011223344556677')`,
  `SELECT * FROM fsdir('${folder}')`,
  `CREATE VIRTUAL TABLE temp.f USING csv(filename = '${join(folder, 'canary.txt')}')`,
  `CREATE VIRTUAL TABLE f USING fts5(x)`,
  'CREATE TABLE made (a)',
  'CREATE TEMP TABLE made (a)',
  'CREATE TEMP VIEW made AS SELECT 1',
  'CREATE TEMP TRIGGER made AFTER INSERT ON papers BEGIN SELECT 1; END',
  'CREATE TABLE made AS SELECT * FROM papers',
  "INSERT INTO papers VALUES (101, 'x', 1)",
  'WITH x AS (SELECT 1) INSERT INTO papers SELECT 102, 1, 1 FROM x RETURNING id',
  'UPDATE papers SET year = 0 RETURNING *',
  'DELETE FROM papers',
  'REPLACE INTO papers VALUES (1, 1, 1)',
  'DROP TABLE papers',
  'ALTER TABLE papers ADD COLUMN x',
  'CREATE INDEX made ON papers (year)',
  'REINDEX',
  'ANALYZE',
  'BEGIN IMMEDIATE',
  'SAVEPOINT s',
  'COMMIT',
  'PRAGMA database_list',
  'SELECT * FROM pragma_database_list',
  'PRAGMA journal_mode = WAL',
  'PRAGMA writable_schema = ON',
  'PRAGMA query_only = OFF',
  'PRAGMA user_version = 7',
  'PRAGMA hard_heap_limit = 0',
  'PRAGMA case_sensitive_like = ON',
  `PRAGMA temp_store_directory = '${folder}'`,
  `PRAGMA data_store_directory = '${folder}'`,
  'PRAGMA trusted_schema = OFF',
  'PRAGMA wal_checkpoint(TRUNCATE)',
  'PRAGMA incremental_vacuum',
  'PRAGMA optimize',
  'PRAGMA compile_options',
  'SELECT * FROM pragma_compile_options',
  'SELECT data FROM sqlite_dbpage',
  'SELECT hex(data) FROM main.sqlite_dbpage WHERE pgno > 1',
  'SELECT count(*) FROM dbstat',
  'SELECT * FROM sqlite_stmt',
  "SELECT * FROM bytecode('SELECT 1')",
  'UPDATE sqlite_dbpage SET data = zeroblob(4096)',
  "UPDATE sqlite_master SET sql = ''",
  `SELECT * FROM '${other}'.papers`,
  `SELECT * FROM "file:${other}?mode=rw"`,
  'SELECT 1\0; DROP TABLE papers',
  'EXPLAIN DELETE FROM papers',
  '',
  '; -- nothing',
];

describe('hostile statements in SQLite', () => {
  it.each(hostile.map((sql) => [sql]))('is refused: %s', async (sql) => {
    const before = { sha256: sha256(), files: files() };
    const [outcome] = await sqlite.ask([sql]);
    expect(outcome?.kind).toBe('sql-error');
    const said = JSON.stringify(outcome);
    expect(said.replaceAll(JSON.stringify(sql).slice(1, -1), '')).not.toMatch(/canary-of-the/);
    if (!sql.includes(folder)) expect(said).not.toContain(folder);
    expect({ sha256: sha256(), files: files() }).toEqual(before);
  });

  it('changes nothing for the statements after them, and leaks nothing to them', async () => {
    await sqlite.ask(hostile);
    await ordinary();
    expect(await sqlite.rows("SELECT count(*) FROM papers WHERE title LIKE 'PAPER 1'")).toEqual([
      [1],
    ]);
    expect(await sqlite.rows('SELECT name FROM sqlite_master ORDER BY name')).toEqual([
      ['papers'],
      ['years'],
    ]);
    expect(await sqlite.rows('SELECT * FROM temp.sqlite_master')).toEqual([]);
  });

  it.each([
    ['WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c'],
    ['SELECT count(*) FROM papers a, papers b, papers c, papers d, papers e, papers f'],
    ['SELECT max(a.title || b.title) FROM papers a, papers b, papers c, papers d, papers e'],
    ['SELECT length(group_concat(a.title)) FROM papers a, papers b, papers c, papers d, papers e'],
    ["SELECT instr(printf('%.*c', 60000000, 'a'), printf('%.*c', 30000000, 'a') || 'b')"],
    ['SELECT length(zeroblob(1000000000))'],
    ['SELECT length(randomblob(2000000000))'],
    [`SELECT ${'('.repeat(50_000)}1${')'.repeat(50_000)}`],
    [`SELECT ${'-'.repeat(40_000)} 1`],
    [`SELECT json('${'['.repeat(40_000)}')`],
    [`SELECT 1 ${'UNION ALL SELECT 1 '.repeat(5_000)}`],
    ['WITH RECURSIVE c(x) AS (SELECT 1 UNION SELECT x + random() FROM c) SELECT max(x) FROM c'],
    [
      'SELECT * FROM papers a, papers b, papers c, papers d ORDER BY a.title || b.title || c.title DESC',
    ],
  ])('ends within its limits: %s', async (sql) => {
    const [outcome] = await sqlite.ask([sql], { timeoutMs: 500 });
    expect(['sql-timeout', 'sql-error']).toContain(outcome?.kind);
    await ordinary();
  });

  it('makes no text that is too long', async () => {
    const sql = "SELECT printf('%.*c', 999999999, 'x'), printf('%999999999d', 1)";
    expect(await sqlite.rows(sql)).toEqual([[null, null]]);
  });

  it('ends a statement that gathers more than its memory', async () => {
    const sql = `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)
                 SELECT x, randomblob(10000000) AS b FROM c ORDER BY b`;
    expect(await sqlite.ask([sql], { timeoutMs: 240_000 })).toEqual([
      {
        kind: 'sql-error',
        failure: 'memory',
        message: 'The statement needs more memory than it may use.',
      },
    ]);
    await ordinary();
  });
});

describe('what may be asked', () => {
  it.each([
    ['PRAGMA table_info(papers)', 3],
    ['PRAGMA index_list(papers)', 0],
    ["SELECT * FROM pragma_table_xinfo('papers')", 3],
    ['EXPLAIN QUERY PLAN SELECT * FROM papers', 1],
    ['SELECT * FROM years', 10],
    ["SELECT value FROM json_each('[1, 2]')", 2],
    ['VALUES (1), (2);', 2],
  ])('%s', async (sql, count) => {
    expect(await sqlite.rows(sql)).toHaveLength(count);
  });

  it('gives rows up to the limit, and says that there are more', async () => {
    const [few, all] = await sqlite.ask(['SELECT * FROM papers', 'SELECT * FROM years'], {
      maxRows: 10,
    });
    expect(few).toMatchObject({ kind: 'rows', result: { more: true } });
    expect(all).toMatchObject({ kind: 'rows', result: { more: false } });
  });

  it('tells the type of values, of a column or of each', async () => {
    const sql = `SELECT 1 AS i, 2.0 AS r, 'x' AS t, x'00ff' AS b, NULL AS n, 9007199254740993 AS big, iif(id = 1, id, 'no') AS m
                 FROM papers WHERE id < 3`;
    const [outcome] = await sqlite.ask([sql]);
    const row = [1, 2, 'x', '00ff', null, '9007199254740993'];
    expect(outcome).toEqual({
      kind: 'rows',
      result: {
        columns: [
          { name: 'i', type: 'INTEGER' },
          { name: 'r', type: 'REAL' },
          { name: 't', type: 'TEXT' },
          { name: 'b', type: 'BLOB' },
          { name: 'n', type: 'NULL' },
          { name: 'big', type: 'INTEGER' },
          { name: 'm', type: 'ANY', rowTypes: 'it' },
        ],
        rows: [
          [...row, 1],
          [...row, 'no'],
        ],
        more: false,
      },
    });
  });
});
