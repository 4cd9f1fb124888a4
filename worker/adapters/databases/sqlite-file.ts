import { join } from 'node:path';
import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api';
import sqlite, { type Database } from 'node-sqlite3-wasm';
import { sqlName } from '../../../domain/stores/database-ddl.js';
import {
  engineOfFile,
  type DatabaseColumn,
  type DatabaseTable,
} from '../../../domain/stores/database.js';
import {
  booleanOf,
  candidatesFor,
  fits,
  type SqliteValue,
} from '../../../domain/stores/sqlite-types.js';
import { UserError } from '../../../domain/user-error.js';
import { withDuckdb } from './duckdb-file.js';

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
  { name, file }: MadeDatabase,
): Promise<readonly DatabaseTable[]> {
  try {
    const names = tableNames(database);
    if (engineOfFile(file) === 'duckdb') {
      return await withDuckdb(file, async (target) => {
        const tables: DatabaseTable[] = [];
        for (const table of names) tables.push(await copyTable(database, target, table));
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
  const declared = records(database, `PRAGMA table_xinfo(${quoted(table)})`).filter(
    ({ hidden }) => hidden !== 1,
  );
  const [counted] = records(database, `SELECT count(*) AS rows FROM ${quoted(table)}`);
  return {
    ...{ name: table, description: '', rows: Number(counted?.['rows']) },
    columns: declared.map(({ name, type, notnull }) => ({
      ...{ name: String(name), type: String(type), nullable: notnull !== 1, description: '' },
    })),
    primaryKey: declared
      .filter(({ pk }) => Number(pk) > 0)
      .sort((one, other) => Number(one['pk']) - Number(other['pk']))
      .map(({ name }) => String(name)),
    foreignKeys: foreignKeysOf(database, table),
  };
}

async function copyTable(
  database: Database,
  target: DuckDBConnection,
  table: string,
): Promise<DatabaseTable> {
  const described = describeTable(database, table);
  const names = described.columns.map(({ name }) => name);
  const types = typesOf(
    described.columns.map(({ type }) => type),
    () => rowsOf(database, table, names),
  );
  const columns = described.columns.map((column, index): DatabaseColumn => {
    const { type, misfit } = types[index] ?? { type: 'VARCHAR', misfit: false };
    return { ...column, type, ...(misfit ? { misfit: column.type } : {}) };
  });
  const definitions = columns.map(({ name, type }) => `${sqlName(name)} ${type}`).join(', ');
  await target.run(`CREATE TABLE ${sqlName(table)} (${definitions})`);
  await append(target, table, columns, rowsOf(database, table, names));
  return { ...described, columns };
}

function foreignKeysOf(database: Database, table: string): DatabaseTable['foreignKeys'] {
  const parts = records(database, `PRAGMA foreign_key_list(${quoted(table)})`);
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

type Cell = SqliteValue | null;

/** Reads all rows, unless the declarations alone decide. */
function typesOf(
  declared: readonly string[],
  rows: () => Iterable<readonly Cell[]>,
): readonly { readonly type: string; readonly misfit: boolean }[] {
  const candidates = declared.map(candidatesFor);
  const left = candidates.map(({ types }) => types);
  for (const row of rows()) {
    row.forEach((value, index) => {
      const types = left[index] ?? [];
      if (value === null || types.every((type) => fits(type, value))) return;
      left[index] = types.filter((type) => fits(type, value));
    });
  }
  return left.map(([type], index) => ({
    type: type ?? 'VARCHAR',
    misfit: type === undefined && candidates[index]?.strict === true,
  }));
}

const utf8 = new TextDecoder();

/**
 * The rows of a table, one at a time. Texts are read as bytes: as texts, the library ends them at a NUL and misreads what is
 * not UTF-8.
 */
function* rowsOf(
  database: Database,
  table: string,
  columns: readonly string[],
): Generator<readonly Cell[]> {
  const cells = columns.map(quoted).map(
    (name, index) =>
      `CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS BLOB) WHEN 'blob' THEN hex(${name})
       ELSE ${name} END AS c${index}`,
  );
  const statement = database.prepare(`SELECT ${cells.join(', ')} FROM ${quoted(table)}`);
  try {
    for (const row of statement.iterate()) {
      yield columns.map((_, index) => {
        // A plain query gives no nested objects.
        const value = row[`c${index}`] as number | bigint | string | Uint8Array | null;
        if (value === null) return null;
        if (value instanceof Uint8Array) return { kind: 'text', value: utf8.decode(value) };
        return typeof value === 'string'
          ? { kind: 'blob', hex: value }
          : { kind: 'number', value: value };
      });
    }
  } finally {
    statement.finalize();
  }
}

async function append(
  target: DuckDBConnection,
  table: string,
  columns: readonly DatabaseColumn[],
  rows: Iterable<readonly Cell[]>,
): Promise<void> {
  const appender = await target.createAppender(table);
  try {
    for (const row of rows) {
      row.forEach((value, index) => appendCell(appender, columns[index]?.type ?? 'VARCHAR', value));
      appender.endRow();
    }
  } finally {
    appender.closeSync();
  }
}

function appendCell(appender: DuckDBAppender, type: string, value: Cell): void {
  if (value === null) appender.appendNull();
  else if (type === 'BOOLEAN') appender.appendBoolean(booleanOf(value) === true);
  else if (value.kind === 'blob') {
    if (type === 'BLOB') appender.appendBlob(Buffer.from(value.hex, 'hex'));
    else appender.appendVarchar(value.hex);
  } else if (type === 'BIGINT') appender.appendBigInt(BigInt(value.value));
  else if (type === 'DOUBLE') appender.appendDouble(Number(value.value));
  // DuckDB reads dates, times and decimals from texts.
  else appender.appendVarchar(String(value.value));
}

const records = (database: Database, sql: string): readonly Readonly<Record<string, unknown>>[] =>
  database.all(sql);

/** SQLite has other keywords than DuckDB. */
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
