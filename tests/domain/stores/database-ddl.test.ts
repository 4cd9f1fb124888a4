import { DuckDBInstance } from '@duckdb/node-api';
import sqlite from 'node-sqlite3-wasm';
import { describe, expect, it } from 'vitest';
import { storeNameSchema } from '../../../domain/ids.js';
import { databaseTableSchema, type DatabaseTable } from '../../../domain/stores/database.js';
import {
  describeStore,
  duckdbKeywords,
  renderDatabaseDdl,
  sqliteKeywords,
  sqlName,
} from '../../../domain/stores/database-schema.js';

const column = (name: string, more: object = {}) => ({
  ...{ name, type: 'VARCHAR', nullable: true },
  ...more,
});
const table = (name: string, more: object): DatabaseTable =>
  databaseTableSchema.parse({ name, rows: 0, primaryKey: [], foreignKeys: [], ...more });

describe('the schema text of a database', () => {
  it('names the dialect, then has each table with its keys, and descriptions as comments', () => {
    const tables = [
      table('loans', {
        description: 'Who has\nwhich book',
        columns: [
          column('id', { type: 'BIGINT', nullable: false }),
          column('Full Name', { nullable: false, description: 'as on the card' }),
          column('order'),
        ],
        primaryKey: ['id'],
        foreignKeys: [
          { columns: ['order'], table: 'größen', references: ['a"b'] },
          { columns: ['Full Name', 'id'], table: 'people', references: [] },
        ],
      }),
      table('größen', { columns: [column('a"b')] }),
    ];
    expect(renderDatabaseDdl({ tables })).toBe(
      `-- SQL dialect: DuckDB. "x" in double quotes is the name of a table or column, never a text; a text is written 'x'.

-- Who has which book
CREATE TABLE loans (
  id BIGINT,
  "Full Name" VARCHAR NOT NULL, -- as on the card
  "order" VARCHAR,
  PRIMARY KEY (id),
  FOREIGN KEY ("order") REFERENCES "größen" ("a""b"),
  FOREIGN KEY ("Full Name", id) REFERENCES people
);

CREATE TABLE "größen" (
  "a""b" VARCHAR
);`,
    );
  });

  it('quotes a name only where DuckDB needs it', () => {
    const cases = [
      ['Track', 'Track'],
      ['_x9', '_x9'],
      ['9x', '"9x"'],
      ['Group', '"Group"'],
      ['first name', '"first name"'],
      ['名前', '"名前"'],
      ['', '""'],
    ] as const;
    expect(cases.map(([name]) => sqlName(name))).toEqual(cases.map(([, sql]) => sql));
  });

  it('knows all keywords of DuckDB, and makes tables that DuckDB accepts', async () => {
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const reader = await connection.runAndReadAll(
      `SELECT DISTINCT keyword_name FROM duckdb_keywords() WHERE keyword_category <> 'unreserved'`,
    );
    expect(duckdbKeywords).toEqual(new Set(reader.getRows().map(([name]) => String(name))));
    await connection.run(
      renderDatabaseDdl(describeStore({ name: storeNameSchema.parse('papers') })),
    );
    const names = [...duckdbKeywords, 'a b', 'ß', "it's", 'say "x"'];
    const odd = table('table', { columns: names.map((name) => column(name)) });
    await connection.run(renderDatabaseDdl({ tables: [odd] }));
    instance.closeSync();
  });

  it('writes names as SQLite reads them, and types as SQLite was told, which may be none', () => {
    const names = [...duckdbKeywords, ...sqliteKeywords, 'a b', 'ß', "it's", 'say "x"'];
    const columns = names.map((name) => ({ ...column(name), type: '' }));
    const ddl = renderDatabaseDdl({ tables: [table('index', { columns })], engine: 'sqlite' });
    expect(ddl).toMatch(/^-- SQL dialect: SQLite\..*\n\nCREATE TABLE "index" \(\n {2}"all",\n/);
    const database = new sqlite.Database(':memory:');
    database.exec(ddl);
    database.exec(`INSERT INTO "index" VALUES (${names.map((_, at) => at).join(', ')})`);
    const found = names.map(
      (name) => database.get(`SELECT ${sqlName(name)} AS found FROM "index"`)?.['found'],
    );
    database.close();
    expect(found).toEqual(names.map((_, at) => at));
  });
});
