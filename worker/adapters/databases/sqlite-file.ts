import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import sqlite, { type Database } from 'node-sqlite3-wasm';
import { engineOfFile, type DatabaseTable } from '../../../domain/stores/database.js';
import { sqlName } from '../../../domain/stores/database-schema.js';
import { UserError } from '../../../domain/user-error.js';
import { literal, withDuckdb } from './duckdb-file.js';

/** A database that is being made of a source. */
export interface MadeDatabase {
  /** Of the source, for messages. */
  readonly name: string;
  /** For files on the way, in which nothing else is. */
  readonly folder: string;
  /** The database; its name says in which engine. */
  readonly file: string;
}

/** Where SQLite has the tables: in the database itself, or on the way to one of DuckDB. */
export const sqliteFileOf = ({ folder, file }: MadeDatabase): string =>
  engineOfFile(file) === 'sqlite' ? file : join(folder, 'copy.sqlite');

/** Runs `work` on a SQLite database, which it makes if there is none. The library locks it by a folder beside it. */
export async function withSqlite<T>(
  file: string,
  work: (database: Database) => T | Promise<T>,
): Promise<T> {
  const database = new sqlite.Database(file);
  try {
    return await work(database);
  } finally {
    database.close();
  }
}

/**
 * Describes all tables of the file of `sqliteFileOf`, and copies them into the database where that is one of DuckDB. Virtual
 * tables with the tables behind them, and views, are left out. Throws UserError if SQLite cannot read the file.
 */
export async function tablesOfSqlite(
  database: Database,
  { name, folder, file }: MadeDatabase,
): Promise<readonly DatabaseTable[]> {
  try {
    const names = tableNames(database);
    if (engineOfFile(file) === 'duckdb') {
      return await withDuckdb(file, async (target) => {
        const tables: DatabaseTable[] = [];
        const lines = join(folder, 'rows.json');
        for (const table of names) tables.push(await copyTable(database, target, table, lines));
        return tables;
      });
    }
    return names.map((table) => describeTable(database, table));
  } catch (error) {
    if (!(error instanceof sqlite.SQLite3Error)) throw error;
    throw new UserError(`${name} is a SQLite database that cannot be read: ${error.message}`);
  }
}

/** In the order in which they were made. */
export function tableNames(database: Database): readonly string[] {
  const all = records(
    database,
    `SELECT name, sql LIKE 'CREATE VIRTUAL%' AS virtual FROM sqlite_schema
     WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid`,
  ).map(({ name, virtual }) => ({ name: String(name), virtual: virtual === 1 }));
  const virtual = all.filter((table) => table.virtual).map((table) => `${table.name}_`);
  return all
    .filter((table) => !table.virtual && !virtual.some((prefix) => table.name.startsWith(prefix)))
    .map(({ name }) => name);
}

/** As it is declared. All rows are counted. */
function describeTable(database: Database, table: string): DatabaseTable {
  const declared = records(database, `PRAGMA table_xinfo(${sqlName(table)})`).filter(
    ({ hidden }) => hidden !== 1,
  );
  const [counted] = records(database, `SELECT count(*) AS rows FROM ${sqlName(table)}`);
  const unique = uniqueOf(database, table);
  return {
    ...{ name: table, description: '', rows: Number(counted?.['rows']) },
    columns: declared.map(({ name, type, notnull }) => ({
      ...{ name: String(name), type: String(type), nullable: notnull !== 1, description: '' },
    })),
    primaryKey: declared
      .filter(({ pk }) => Number(pk) > 0)
      .sort((one, other) => Number(one['pk']) - Number(other['pk']))
      .map(({ name }) => String(name)),
    ...(unique.length > 0 && { unique }),
    foreignKeys: foreignKeysOf(database, table),
  };
}

/**
 * Copies a table by way of a file of JSON lines. DuckDB takes the types from the values, as it does for CSV: a column with
 * several kinds of values is VARCHAR, and so is a BLOB, as its hexadecimal digits.
 */
async function copyTable(
  database: Database,
  target: DuckDBConnection,
  table: string,
  file: string,
): Promise<DatabaseTable> {
  const described = describeTable(database, table);
  const names = described.columns.map(({ name }) => name);
  await writeFile(file, jsonLines(database, table, names));
  const lines = `read_json(${literal(file)}, format = 'newline_delimited', sample_size = -1, maximum_object_size = ${mostRowBytes})`;
  const empty = names.map((_, at) => `NULL::VARCHAR AS c${at}`).join(', ');
  const rows = described.rows === 0 ? `(SELECT ${empty} LIMIT 0)` : lines;
  const types = (await target.runAndReadAll(`DESCRIBE FROM ${rows}`))
    .getRows()
    .map(([, type]) => type);
  const columns = names.map((name, at) => {
    const cell = types[at] === 'JSON' ? `c${at} ->> '$'` : `c${at}`;
    return `${cell} AS ${sqlName(name)}`;
  });
  await target.run(`CREATE TABLE ${sqlName(table)} AS SELECT ${columns.join(', ')} FROM ${rows}`);
  return {
    ...described,
    columns: described.columns.map((column, at) => ({
      ...column,
      type: types[at] === 'JSON' ? 'VARCHAR' : String(types[at]),
    })),
  };
}

const mostRowBytes = 32 * 2 ** 20;

/** Written together. */
const batchCharacters = 2 ** 20;

/** The rows of a table: an object a line, its keys `c0`, `c1` and so on. */
function* jsonLines(
  database: Database,
  table: string,
  columns: readonly string[],
): Generator<string> {
  const cells = columns
    .map(sqlName)
    .map((name, at) => `'c${at}', iif(typeof(${name}) = 'blob', hex(${name}), ${name})`);
  const statement = database.prepare(
    `SELECT json_object(${cells.join(', ')}) AS line FROM ${sqlName(table)}`,
  );
  try {
    let batch = '';
    for (const { line } of statement.iterate()) {
      // A function of JSON gives a text.
      batch += `${line as string}\n`;
      if (batch.length < batchCharacters) continue;
      yield batch;
      batch = '';
    }
    yield batch;
  } finally {
    statement.finalize();
  }
}

/** Keys of expressions, and of some rows only, are left out. */
const uniqueOf = (database: Database, table: string): readonly (readonly string[])[] =>
  records(database, `PRAGMA index_list(${sqlName(table)})`)
    .filter((index) => index['unique'] === 1 && index['origin'] !== 'pk' && index['partial'] === 0)
    .map(({ name }) =>
      records(database, `PRAGMA index_info(${sqlName(String(name))})`).map((each) => each['name']),
    )
    .filter((columns): columns is string[] => columns.every((name) => typeof name === 'string'));

function foreignKeysOf(database: Database, table: string): DatabaseTable['foreignKeys'] {
  const parts = records(database, `PRAGMA foreign_key_list(${sqlName(table)})`);
  // SQLite lists the last key first.
  const ids = [...new Set(parts.map(({ id }) => Number(id)))].sort((one, other) => other - one);
  return ids.map((wanted) => {
    const own = parts.filter(({ id }) => id === wanted);
    return {
      columns: own.map(({ from }) => String(from)),
      table: String(own[0]?.['table']),
      references: own.flatMap(({ to }) => (typeof to === 'string' ? [to] : [])),
    };
  });
}

const records = (database: Database, sql: string): readonly Readonly<Record<string, unknown>>[] =>
  database.all(sql);

/** SQLite has other keywords than DuckDB. */
