import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { afterAll, describe, expect, it } from 'vitest';
import { importDatabases } from '../../../../client/runs/database-qa/import-databases.js';
import { databaseText } from '../../../../client/views/stores/database-text.js';
import { databaseDescriptionSchema, type DatabaseRef } from '../../../../domain/stores/database.js';
import { renderDatabaseDdl } from '../../../../domain/stores/database-ddl.js';
import { databaseKey } from '../../../../domain/stores/database.js';
import {
  createDatabasesUnderTest,
  queryDuckdb,
  runInSqlite,
} from '../../../support/databases-under-test.js';

const { dataset, remove } = createDatabasesUnderTest();
afterAll(remove);

/** Without the line about the dialect. */
/** What is said of an imported database. */
function searchedOf(home: string, ref: DatabaseRef) {
  const id = ref.kind === 'imported' ? ref.id : '';
  const file = join(home, 'databases', id, 'database.json');
  return databaseDescriptionSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).searched;
}
const filesOf = (home: string, ref: DatabaseRef) =>
  readdirSync(join(home, 'databases', ref.kind === 'imported' ? ref.id : '')).sort();
const ddlOf = (database: { readonly description: Parameters<typeof renderDatabaseDdl>[0] }) =>
  renderDatabaseDdl(database.description).split('\n').slice(2).join('\n');

describe('a SQLite database', () => {
  const odd = `CREATE TABLE "Borrower" (id INTEGER PRIMARY KEY, "Full Name" VARCHAR(40) NOT NULL, "index", paid NUMERIC(10,2));
    INSERT INTO "Borrower" VALUES (1, 'Ann', 'x', 12.5), (2, 'Bo', 7, 'soon');
    CREATE TABLE loan (a INT REFERENCES "Borrower", b TEXT, PRIMARY KEY (b, a)) WITHOUT ROWID;
    CREATE VIEW v AS SELECT 1`;
  const oddDdl = `-- SQL dialect: SQLite. A name is written "x" in double quotes if it has blanks or other signs; a text is written 'x'.

CREATE TABLE Borrower (
  id INTEGER,
  "Full Name" VARCHAR(40) NOT NULL,
  "index",
  paid NUMERIC(10,2),
  PRIMARY KEY (id)
);

CREATE TABLE loan (
  a INT,
  b TEXT,
  PRIMARY KEY (b, a),
  FOREIGN KEY (a) REFERENCES Borrower
);`;

  it('stays one, and its schema is shown as it is declared', async () => {
    const { folder, home, readOne } = dataset();
    runInSqlite(join(folder, 'library.db'), odd);
    const { ref, description } = await readOne({ path: 'library.db' });
    expect(renderDatabaseDdl(description)).toBe(oddDdl);
    expect(description.tables.map(({ rows }) => rows)).toEqual([2, 0]);
    expect(filesOf(home, ref)).toEqual(['data.sqlite', 'database.json']);
  });

  it('is made of a script where the dataset chooses it', async () => {
    const { folder, home, readOne, refusals } = dataset();
    writeFileSync(join(folder, 'library.sql'), odd);
    const { ref, description } = await readOne({ path: 'library.sql', engine: 'sqlite' });
    expect(renderDatabaseDdl(description)).toBe(oddDdl);
    expect(filesOf(home, ref)).toEqual(['data.sqlite', 'database.json']);
    const inline = await readOne({ ddl: odd, engine: 'sqlite' });
    expect(renderDatabaseDdl(inline.description)).toBe(oddDdl);
    writeFileSync(join(folder, 'a.csv'), 'a\n1\n');
    expect(await refusals({ path: 'a.csv', engine: 'sqlite' })).toEqual([
      'a.csv cannot have the engine sqlite: only a file of SQLite, or a script',
    ]);
  });

  it('is converted where the dataset chooses DuckDB: names, keys and values stay, types follow the values', async () => {
    const { folder, readOne, rows } = dataset();
    runInSqlite(
      join(folder, 'library.db'),
      `CREATE TABLE "Borrower" (id INTEGER PRIMARY KEY, "Full Name" VARCHAR(40) NOT NULL, "select" TEXT,
         born DATE, seen DATETIME, at TIME, paid NUMERIC(10,2), fee NUMERIC, active BOOLEAN, photo BLOB,
         score REAL, anything, y YEAR);
       INSERT INTO "Borrower" VALUES
         (1, 'Ann', NULL, '1999-1-05', '2020-01-01T10:00:00Z', '9:30', 12.5, 3, 1, x'00ff', 1.5, 7, 1999),
         (2, 'Æ' || char(0) || 'é', CAST(x'e92078' AS TEXT), '1999-11-05', '2020-01-01', '09:30:11', -0.25,
          3.5, 'TRUE', x'', 2, 't', 1998);
       CREATE TABLE loan (a INT, b INTEGER REFERENCES "Borrower", "größe" INT, due DATE,
         PRIMARY KEY (b, a), FOREIGN KEY (a, b) REFERENCES other (x, "y z"));
       INSERT INTO loan VALUES (9223372036854775807, 1, 'abc', 'soon'), (2, 77, 5, '2020-01-01');
       CREATE VIEW v AS SELECT 1;
       CREATE VIRTUAL TABLE search USING fts5(words);`,
    );
    const database = await readOne({ path: 'library.db', engine: 'duckdb' });
    expect(ddlOf(database)).toBe(`CREATE TABLE Borrower (
  id BIGINT,
  "Full Name" VARCHAR NOT NULL,
  "select" VARCHAR,
  born DATE,
  seen VARCHAR,
  "at" TIME,
  paid DOUBLE,
  fee DOUBLE,
  active VARCHAR,
  photo VARCHAR,
  score DOUBLE,
  anything VARCHAR,
  y BIGINT,
  PRIMARY KEY (id)
);

CREATE TABLE loan (
  a BIGINT,
  b BIGINT,
  "größe" VARCHAR,
  due VARCHAR,
  PRIMARY KEY (b, a),
  FOREIGN KEY (b) REFERENCES Borrower,
  FOREIGN KEY (a, b) REFERENCES other (x, "y z")
);`);
    expect(await rows(database, 'FROM Borrower')).toEqual([
      [
        '1',
        'Ann',
        null,
        '1999-01-05',
        '2020-01-01T10:00:00Z',
        '09:30:00',
        12.5,
        3,
        '1',
        '00FF',
        1.5,
        '7',
        '1999',
      ],
      [
        '2',
        'Æ\0é',
        '\uFFFD x',
        '1999-11-05',
        '2020-01-01',
        '09:30:11',
        -0.25,
        3.5,
        'TRUE',
        '',
        2,
        't',
        '1998',
      ],
    ]);
    expect(await rows(database, 'FROM loan')).toEqual([
      ['9223372036854775807', '1', 'abc', 'soon'],
      ['2', '77', '5', '2020-01-01'],
    ]);
  });

  it.each([
    ['sqlite', 'SELECT x FROM t', [[1]]],
    ['duckdb', 'FROM t', [['1']]],
  ])(
    'is read with its write-ahead log, and nothing is written beside it: %s',
    async (engine, sql, expected) => {
      const { folder, home, readOne, rows } = dataset();
      const open = new sqlite.Database(join(folder, 'open.db'));
      open.exec(
        'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; CREATE TABLE t (x INT)',
      );
      open.exec('INSERT INTO t VALUES (1)');
      for (const rest of ['', '-wal']) {
        copyFileSync(join(folder, `open.db${rest}`), join(folder, `killed.sqlite3${rest}`));
      }
      open.close();
      const before = readdirSync(folder);
      const database = await readOne({ path: 'killed.sqlite3', engine });
      expect(await rows(database, sql)).toEqual(expected);
      expect(readdirSync(folder)).toEqual(before);
      expect(filesOf(home, database.ref)).toEqual([`data.${engine}`, 'database.json']);
    },
  );

  it('is read as before a transaction that was cut off, which is not rolled back in place', async () => {
    const { folder, readOne, rows } = dataset();
    const open = new sqlite.Database(join(folder, 'open.db'));
    open.exec('CREATE TABLE t (x INT, y TEXT)');
    open.exec(`INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
               SELECT 1, hex(zeroblob(500)) FROM n`);
    open.exec('PRAGMA cache_size = 1; BEGIN; UPDATE t SET x = 2');
    for (const rest of ['', '-journal']) {
      copyFileSync(join(folder, `open.db${rest}`), join(folder, `cut.db${rest}`));
    }
    open.exec('ROLLBACK');
    open.close();
    const bytes = () => ['', '-journal'].map((rest) => readFileSync(join(folder, `cut.db${rest}`)));
    const before = bytes();
    const database = await readOne({ path: 'cut.db' });
    expect(await rows(database, 'SELECT min(x), max(x), count(*) FROM t')).toEqual([[1, 1, 1000]]);
    expect(bytes()).toEqual(before);
  });
});

describe('other sources', () => {
  it('become databases too', async () => {
    const { folder, read, home } = dataset();
    await queryDuckdb(
      join(folder, 'people.duckdb'),
      `CREATE TABLE p (id INT PRIMARY KEY, n VARCHAR NOT NULL); COMMENT ON TABLE p IS 'people';
       COMMENT ON COLUMN p.n IS 'name'; CREATE TABLE c (p INT REFERENCES p (id)); INSERT INTO p VALUES (1, 'a')`,
    );
    mkdirSync(join(folder, 'files[1]'));
    writeFileSync(
      join(folder, 'files[1]', 'my table.csv'),
      'a,b,Ω\n1,2020-01-01,\n2,2020-01-03,"x"\n',
    );
    await queryDuckdb(
      ':memory:',
      `COPY (SELECT 1.5::DOUBLE AS d) TO '${folder}/files[1]/other.parquet'`,
    );
    writeFileSync(
      join(folder, 'dump.sql'),
      `PRAGMA foreign_keys=OFF; BEGIN TRANSACTION;
       CREATE TABLE [t] (id INTEGER PRIMARY KEY AUTOINCREMENT, d datetime DEFAULT (datetime('now')), "x y" text);
       INSERT INTO "t" VALUES (1, "2020-01-01", 'a;b'); COMMIT;`,
    );
    const results = await read(
      { path: 'people.duckdb' },
      { path: 'files[1]' },
      { path: 'files[1]/my table.csv' },
      { path: 'dump.sql' },
      {
        ddl: 'CREATE TABLE a (id INT PRIMARY KEY)',
        rows: 'INSERT INTO a SELECT unnest(range(300000))',
      },
    );
    expect(
      results.map((result) =>
        result.kind === 'refused'
          ? result.message
          : [
              result.description.name,
              result.description.tables.map(({ rows }) => rows),
              ddlOf(result),
            ],
      ),
    ).toEqual([
      [
        'people',
        [1, 0],
        '-- people\nCREATE TABLE p (\n  id INTEGER,\n  n VARCHAR NOT NULL, -- name\n  PRIMARY KEY (id)\n);\n\nCREATE TABLE c (\n  p INTEGER,\n  FOREIGN KEY (p) REFERENCES p (id)\n);',
      ],
      [
        'files[1]',
        [2, 1],
        'CREATE TABLE "my table" (\n  a BIGINT,\n  b DATE,\n  "Ω" VARCHAR\n);\n\nCREATE TABLE other (\n  d DOUBLE\n);',
      ],
      ['my table', [2], 'CREATE TABLE "my table" (\n  a BIGINT,\n  b DATE,\n  "Ω" VARCHAR\n);'],
      [
        'dump',
        [1],
        'CREATE TABLE t (\n  id BIGINT,\n  d DATE,\n  "x y" VARCHAR,\n  PRIMARY KEY (id)\n);',
      ],
      ['database', [300_000], 'CREATE TABLE a (\n  id INTEGER,\n  PRIMARY KEY (id)\n);'],
    ]);
    const files = readdirSync(join(home, 'databases'), { recursive: true });
    expect(
      files.filter(
        (file) => !/^[0-9a-f]{32}(\/(data\.duckdb|database\.json))?$/.test(String(file)),
      ),
    ).toEqual([]);
  });

  it('take descriptions from files beside them', async () => {
    const { folder, readOne, refusals } = dataset();
    mkdirSync(join(folder, 'database_description'));
    runInSqlite(join(folder, 'shop.sqlite'), 'CREATE TABLE sales (id INT, amt REAL)');
    const bird = 'original_column_name,column_name,column_description\namt,amount,caf\xe9\nold,,\n';
    writeFileSync(join(folder, 'database_description', 'Sales.csv'), Buffer.from(bird, 'latin1'));
    writeFileSync(
      join(folder, 'shop.yaml'),
      'tables:\n  sales:\n    description: what was sold\n    columns: { id: number of the sale }\n',
    );
    const path = { path: 'shop.sqlite' };
    const { ref, description } = await readOne(path);
    expect(ddlOf({ description })).toBe(
      '-- what was sold\nCREATE TABLE sales (\n  id INT, -- number of the sale\n  amt REAL -- amount; café\n);',
    );
    writeFileSync(join(folder, 'shop.yaml'), 'tables: { sales: { description: else } }');
    expect((await readOne(path)).ref).not.toEqual(ref);
    writeFileSync(join(folder, 'shop.yaml'), 'tables: { sale: { columns: { id: x } } }');
    expect(await refusals(path)).toEqual([
      'shop.yaml describes what the database does not have: sale',
    ]);
    writeFileSync(join(folder, 'shop.yaml'), 'sales: []');
    expect(await refusals(path)).toEqual([
      expect.stringMatching(/^shop.yaml does not describe tables: /),
    ]);
  });
});

describe('files that describe a database', () => {
  const described = (name: string, notes: object) => {
    const under = dataset();
    mkdirSync(join(under.folder, 'fleet'));
    writeFileSync(join(under.folder, 'fleet', 'ship.csv'), 'id,owner,code\n1,7,a\n2,7,b\n');
    writeFileSync(join(under.folder, 'fleet', 'owner.csv'), 'id,name\n7,One Man\n');
    writeFileSync(join(under.folder, name), JSON.stringify(notes));
    return under;
  };
  const ddl =
    '-- who pays\nCREATE TABLE owner (\n  id BIGINT,\n  name VARCHAR,\n  PRIMARY KEY (id)\n);\n\n' +
    'CREATE TABLE ship (\n  id BIGINT,\n  owner BIGINT,\n  code VARCHAR, -- painted on it\n' +
    '  PRIMARY KEY (id),\n  FOREIGN KEY (owner) REFERENCES owner (id)\n);';

  it.each([
    [
      'fleet.yml',
      {
        tables: {
          Owner: {
            description: 'who pays',
            primary_key: 'ID',
            columns: { name: { search: false } },
          },
          ship: {
            primary_key: ['id'],
            foreign_keys: { owner: 'owner.id' },
            columns: { code: { description: 'painted on it', search: true } },
          },
        },
      },
    ],
    [
      'fleet.json',
      {
        database_name: 'fleet',
        database_schema: [
          {
            table: { table_name: 'owner', description: 'who pays' },
            columns: [{ column_name: 'id' }, { column_name: 'name' }],
            primary_keys: ['id'],
          },
          {
            table: { table_name: 'ship' },
            columns: [
              { column_name: 'code', column_description: 'painted on it', encodable: 'text' },
            ],
            primary_keys: ['id'],
            foreign_keys: [['owner', 'owner', 'id']],
          },
        ],
      },
    ],
  ])('give keys, descriptions and what is searched: %s', async (name, notes) => {
    const { home, readOne } = described(name, notes);
    const { ref, description } = await readOne({ path: 'fleet' });
    expect(ddlOf({ description })).toBe(ddl);
    expect(searchedOf(home, ref)).toEqual([{ table: 'ship', key: ['id'], columns: ['code'] }]);
  });

  it('are refused where they name what is not there, and ignored where they are about something else', async () => {
    const wrong = described('fleet.json', { tables: { ship: { primary_key: 'number' } } });
    expect(await wrong.refusals({ path: 'fleet' })).toEqual([
      'fleet.json describes what the database does not have: ship.number',
    ]);
    const other = described('fleet.json', { version: 3 });
    expect((await other.readOne({ path: 'fleet' })).description.tables).toHaveLength(2);
  });
});

describe('a DuckDB database', () => {
  it('says in its own words why it cannot be opened, with what helps', async () => {
    const { folder, refusals } = dataset();
    const path = (name: string): string => join(folder, name);
    await queryDuckdb(path('plain.duckdb'), 'CREATE TABLE t (x INT)');
    const bytes = readFileSync(path('plain.duckdb'));
    // DuckDB's checksum of a block is the exclusive or of its words, each times this number.
    const first = bytes.readBigUInt64LE(8);
    bytes.writeUInt32LE(100, 12);
    const product = (word: bigint): bigint => BigInt.asUintN(64, word * 0xbf58476d1ce4e5b9n);
    const changed = product(first) ^ product(bytes.readBigUInt64LE(8));
    bytes.writeBigUInt64LE(bytes.readBigUInt64LE(0) ^ changed, 0);
    writeFileSync(path('later.duckdb'), bytes);
    await queryDuckdb(
      ':memory:',
      `SET force_mbedtls_unsafe = 'true'; ATTACH '${path('secret.duckdb')}' AS e (ENCRYPTION_KEY 'k');
       CREATE TABLE e.t AS SELECT 1`,
    );
    const remedy =
      "; what can open it makes a folder of tables, which is a database here: EXPORT DATABASE 'FOLDER' (FORMAT parquet)";
    const [later = '', secret = ''] = await refusals(
      { path: 'later.duckdb' },
      { path: 'secret.duckdb' },
    );
    expect(later).toMatch(
      /^later\.duckdb cannot be opened: Trying to read a database file with version number \d+, but we can only read versions between .* https:\S+;/,
    );
    expect(later.endsWith(remedy)).toBe(true);
    expect(secret).toMatch(/^secret\.duckdb cannot be opened: Cannot open encrypted database .*;/);
    expect(secret.endsWith(remedy)).toBe(true);
  });

  it('names what is not described', async () => {
    const { folder, readOne, refusals } = dataset();
    const others =
      'CREATE SCHEMA other; CREATE TABLE other.u (x INT); CREATE VIEW v AS SELECT 1; CREATE VIEW other.w AS SELECT 2';
    await queryDuckdb(join(folder, 'some.duckdb'), `CREATE TABLE t (x INT); ${others}`);
    await queryDuckdb(join(folder, 'none.duckdb'), others);
    const { description } = await readOne({ path: 'some.duckdb' });
    expect(description.leftOut).toEqual(['table other.u', 'view other.w', 'view v']);
    expect(databaseText(description)).toContain(
      '\n\nnot described: table other.u, view other.w, view v',
    );
    expect(await refusals({ path: 'none.duckdb' })).toEqual([
      'none.duckdb holds no tables in its schema main, but table other.u, view other.w, view v',
    ]);
  });
});

describe('a CSV file', () => {
  it('is read as the dataset or the file beside it says, and shows how', async () => {
    const { folder, readOne, refusals } = dataset();
    mkdirSync(join(folder, 'shop'));
    writeFileSync(join(folder, 'shop', 'post.csv'), 'Posts\nid;paid\n1;NA\n2;2,5\n');
    expect(await refusals({ path: 'shop' })).toEqual([
      expect.stringContaining('shop/post.csv: line 2 has 2 cells'),
    ]);
    const given = await readOne({ path: 'shop', csv: { skip: 1 } });
    writeFileSync(join(folder, 'shop.yaml'), 'tables: {post: {csv: {skip: 1}}}');
    const noted = await readOne({ path: 'shop' });
    expect(given.ref).not.toEqual(noted.ref);
    for (const { description } of [given, noted]) {
      expect(databaseText(description)).toBe(
        [
          'shop, 1 tables\n',
          'post, 2 rows',
          '  from 4 lines in utf-8 with semicolons, the first row names the columns',
          '  id    BIGINT',
          '  paid  DOUBLE  written as 1.234,5; NULL is NA',
        ].join('\n'),
      );
    }
  });
});

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

describe('the texts that a store can search', () => {
  /** What is said of a database after the import of a script. */
  const searchedIn = async (script: string) => {
    const { folder, home, readOne } = dataset();
    runInSqlite(join(folder, 'a.db'), script);
    return searchedOf(home, (await readOne({ path: 'a.db', engine: 'duckdb' })).ref);
  };
  const texts = `('one fine day'), ('two fine days')`;

  it('are those with words, in no column of categories', async () => {
    const cells = Array.from({ length: 30 }, (_, index) => [
      ...[`'word ${index} and more'`, `'code-${index}'`, `'https://x.y/a-b-${index}'`],
      ...[index % 2 === 0 ? `'in stock'` : `'sold out'`, `'第${index}号の紙'`, 'NULL', `' '`],
    ]);
    const found = await searchedIn(
      `CREATE TABLE t (a TEXT, b TEXT, c TEXT, d TEXT, e TEXT, f TEXT, g TEXT);
       INSERT INTO t VALUES ${cells.map((row) => `(${row.join(', ')})`).join(', ')}`,
    );
    expect(found).toEqual([{ table: 't', key: ['rowid'], columns: ['a', 'e'] }]);
  });

  it.each([
    ['a primary key', `CREATE TABLE t (k TEXT PRIMARY KEY, x TEXT)`, `('a', 'b c d')`, ['k']],
    [
      'one that is NULL',
      `CREATE TABLE t (k TEXT PRIMARY KEY, x TEXT)`,
      `(NULL, 'b c d')`,
      ['rowid'],
    ],
    [
      'one that is too long',
      `CREATE TABLE t (k TEXT PRIMARY KEY, x TEXT)`,
      `('${'é'.repeat(300)}', 'b c d')`,
      ['rowid'],
    ],
    [
      'one of two columns whose texts run together',
      `CREATE TABLE t (k TEXT, l TEXT, x TEXT, PRIMARY KEY (k, l))`,
      `('a,b', 'c', 'b c d'), ('a', 'b,c', 'e f g')`,
      ['rowid'],
    ],
  ])('are named by %s, as far as it tells rows apart', async (_, table, rows, key) => {
    const found = await searchedIn(`${table}; INSERT INTO t VALUES ${rows}`);
    expect(found).toEqual([{ table: 't', key, columns: ['x'] }]);
  });

  it('are none of a table whose own column hides the number of a row', async () => {
    const make = 'CREATE TABLE t (x TEXT, rowid TEXT); INSERT INTO t (x) VALUES';
    expect(await searchedIn(`${make} ${texts}`)).toEqual([]);
  });
});

describe('the files of an import', () => {
  it('are made once for equal content, also by two imports at a time, and again if they are damaged', async () => {
    const { folder, home, read, readOne, rows } = dataset();
    runInSqlite(join(folder, 'a.db'), 'CREATE TABLE t (x INT); INSERT INTO t VALUES (1)');
    mkdirSync(join(folder, 'copy'));
    copyFileSync(join(folder, 'a.db'), join(folder, 'copy', 'a.db'));
    const both = await Promise.all([
      read({ path: 'a.db' }, { path: 'copy/a.db' }),
      read({ path: './a.db' }),
    ]);
    const ids = new Set(both.flat().map((each) => JSON.stringify(each)));
    expect(ids.size).toBe(1);
    const [id = ''] = readdirSync(join(home, 'databases'));
    rmSync(join(home, 'databases', id, 'database.json'));
    expect(await rows(await readOne({ path: 'a.db' }), 'SELECT x FROM t')).toEqual([[1]]);
    expect(readdirSync(join(home, 'databases'))).toEqual([id]);
  });

  it('of an import that was killed are removed by the next one', async () => {
    const { folder, home, readOne } = dataset();
    // No process has such a high id.
    const left = join(home, 'databases', `.${'a'.repeat(32)}.${hostname()}.999999999`);
    const others = join(home, 'databases', `.${'a'.repeat(32)}.another-host.999999999`);
    for (const draft of [left, others]) mkdirSync(draft, { recursive: true });
    writeFileSync(join(folder, 'a.sql'), 'CREATE TABLE a (b INT)');
    await readOne({ path: 'a.sql' });
    const drafts = readdirSync(join(home, 'databases')).filter((name) => name.startsWith('.'));
    expect(drafts).toEqual([expect.stringContaining('another-host')]);
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
