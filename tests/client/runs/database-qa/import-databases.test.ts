import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { afterAll, describe, expect, it } from 'vitest';
import { databaseSection } from '../../../../client/views/sections/store.js';
import { sectionText } from '../../../support/commands/section-text.js';
import { type DatabaseRef } from '../../../../domain/stores/database.js';
import { renderDatabaseDdl } from '../../../../domain/stores/database-schema.js';
import {
  createDatabasesUnderTest,
  queryDuckdb,
  runInSqlite,
} from '../../../support/databases-under-test.js';

const { dataset, remove } = createDatabasesUnderTest();
afterAll(remove);

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
    const { readOne, searched } = described(name, notes);
    const fleet = await readOne({ path: 'fleet' });
    expect(ddlOf(fleet)).toBe(ddl);
    expect(searched(fleet)).toEqual([{ table: 'ship', key: ['id'], columns: ['code'] }]);
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
    expect(sectionText(databaseSection(description))).toContain(
      'note: not described: table other.u, view other.w, view v',
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
      expect(sectionText(databaseSection(description))).toBe(
        [
          'shop, 1 table\n',
          'post, 2 rows  type    notes',
          'id            BIGINT',
          'paid          DOUBLE  written as 1.234,5; NULL is NA',
          'note: from 4 lines in utf-8 with semicolons, the first row names the columns',
        ].join('\n'),
      );
    }
  });
});
