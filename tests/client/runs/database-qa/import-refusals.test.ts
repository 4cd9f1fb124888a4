import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { importDatabases } from '../../../../client/runs/database-qa/import-databases.js';
import { databaseKey } from '../../../../domain/stores/database.js';
import { createDatabasesUnderTest, runInSqlite } from '../../../support/databases-under-test.js';

const { dataset, remove } = createDatabasesUnderTest();
afterAll(remove);

describe('a source that is no database', () => {
  it('is refused with its path and what is wrong', async () => {
    const { folder, refusals } = dataset();
    const write = (name: string, content: string) =>
      writeFileSync(join(folder, name), content, 'latin1');
    write('empty.db', '');
    write('text.sqlite', 'not a database at all');
    write('broken.duckdb', `01234567DUCK${'x'.repeat(9000)}`);
    runInSqlite(
      join(folder, 'whole.db'),
      'CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(50000))',
    );
    write('torn.db', readFileSync(join(folder, 'whole.db'), 'latin1').slice(0, 3000));
    runInSqlite(join(folder, 'no-tables.db'), 'CREATE TABLE t (x); DROP TABLE t');
    mkdirSync(join(folder, 'nothing'));
    mkdirSync(join(folder, 'twice'));
    write('twice/a.csv', 'x\n1\n');
    write('twice/A.CSV', 'x\n1\n');
    mkdirSync(join(folder, 'binary'));
    write('binary/a.parquet', 'PAR1');
    expect(
      await refusals(
        ...[
          'missing.db',
          'empty.db',
          'text.sqlite',
          'broken.duckdb',
          'torn.db',
          'no-tables.db',
        ].map((path) => ({ path })),
        ...['nothing', 'twice', 'binary'].map((path) => ({ path })),
        { name: 'nowhere' },
      ),
    ).toEqual([
      'missing.db does not exist',
      'empty.db is empty',
      'text.sqlite is no database of DuckDB or SQLite, or it is encrypted; a script must be named .sql, a table .csv, .tsv, .json, .jsonl or .parquet',
      expect.stringMatching(
        /^broken.duckdb cannot be opened: Corrupt database file: .*; if it is damaged, take a whole copy of it$/,
      ),
      expect.stringMatching(/^torn.db is a SQLite database that cannot be read: /),
      'no-tables.db holds no tables',
      'nothing holds no CSV, JSON or Parquet file',
      'twice: A.CSV and a.csv would make the same table',
      expect.stringMatching(/^binary\/a.parquet does not make a table: /),
      expect.stringMatching(/^there is no store 'nowhere'/),
    ]);
  });

  const key = 'CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (a INT REFERENCES a (id))';
  const serial = key.replace('INT PRIMARY KEY', 'INTEGER PRIMARY KEY AUTOINCREMENT');

  it('is refused with the statement that does not run', async () => {
    const { folder, refusals } = dataset();
    writeFileSync(join(folder, 'my.sql'), '-- first\nCREATE TABLE x (id INT) ENGINE=InnoDB;');
    const secret = join(folder, 'secret.csv');
    writeFileSync(secret, 'x\n1\n');
    const cases: readonly (readonly [source: unknown, message: string | RegExp])[] = [
      [
        { path: 'my.sql' },
        'my.sql: statement 1 (CREATE TABLE x (id INT) ENGINE=InnoDB) does not run in DuckDB: syntax error at or near "ENGINE"',
      ],
      [
        { ddl: key, rows: 'INSERT INTO b VALUES (3)' },
        /^the inline database: statement 3 \(INSERT INTO b VALUES \(3\)\) does not run in DuckDB: Violates foreign key/,
      ],
      [
        { ddl: key, rows: 'INSERT INTO a VALUES (1), (1)' },
        /statement 3 .* does not run in DuckDB: .*duplicate key "1"/,
      ],
      [
        { ddl: key, rows: `INSERT INTO a VALUES ('x')` },
        /statement 3 .* does not run in DuckDB: Could not convert/,
      ],
      [
        { ddl: serial, rows: 'INSERT INTO a VALUES (1), (1)' },
        /statement 3 .* does not run in SQLite: UNIQUE constraint failed: a.id/,
      ],
      [
        { ddl: serial, rows: 'INSERT INTO b VALUES (1)' },
        /row 1 of table b refers to no row of table a$/,
      ],
      [{ ddl: `ATTACH '${secret}' AS s` }, /statement 1 .* does not run in DuckDB/],
      [
        { ddl: `${serial}; ATTACH '${secret}' AS s` },
        /statement 3 .* does not run in SQLite: the import runs no such statement/,
      ],
      [
        { ddl: `CREATE TABLE t AS FROM read_csv('${secret}')` },
        /statement 1 .* does not run in DuckDB: .*disabled by configuration/,
      ],
      [
        { ddl: `CREATE TABLE t (x INT); COPY t TO '${folder}/out.csv'` },
        /statement 2 .* disabled by configuration/,
      ],
      [
        { ddl: `${serial}; VACUUM INTO '${folder}/out.db'` },
        /statement 3 .* the import runs no such statement/,
      ],
    ];
    const messages = await refusals(...cases.map(([source]) => source));
    cases.forEach(([, expected], index) => {
      if (typeof expected === 'string') expect(messages[index]).toBe(expected);
      else expect(messages[index]).toMatch(expected);
    });
    expect(readdirSync(folder).filter((name) => name.startsWith('out'))).toEqual([]);
  });
});

it('goes on with the other sources when the process dies at one of them', async () => {
  const { folder, home } = dataset();
  const program = join(folder, 'dies.mjs');
  writeFileSync(
    program,
    `import { text } from 'node:stream/consumers';
     for (const { key, source } of JSON.parse(await text(process.stdin)).sources) {
       console.log(JSON.stringify({ kind: 'reading', key }));
       if (source.path.endsWith('bad')) process.kill(process.pid, 'SIGKILL');
       console.log(JSON.stringify({ kind: 'refused', key, message: 'read' }));
     }`,
  );
  const sources = ['one', 'bad', 'two'].map((path) => ({ path }));
  const results = await importDatabases({ home, folder, sources, program });
  expect(sources.map((source) => results.get(databaseKey(source)))).toEqual([
    { kind: 'refused', message: 'read' },
    {
      kind: 'refused',
      message: `${join(folder, 'bad')} cannot be imported: the database engine failed while reading it`,
    },
    { kind: 'refused', message: 'read' },
  ]);
});
