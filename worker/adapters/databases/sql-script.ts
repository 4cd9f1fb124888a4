import type { DuckDBConnection } from '@duckdb/node-api';
import sqlite, { type Database } from 'node-sqlite3-wasm';
import { engineOfFile, type DatabaseTable } from '../../../domain/stores/database.js';
import { sqlName } from '../../../domain/stores/database-schema.js';
import { firstWord, statementsOf, withTextsInSingleQuotes } from '../../../domain/formats/sql.js';
import { UserError } from '../../../domain/user-error.js';
import { failureClass, modelMessage } from '../duckdb/allowed-statement.js';
import { lockedConfiguration, noExternalAccess } from '../duckdb/open-store.js';
import { describeTables, duckdbReason, withDuckdb } from './duckdb-file.js';
import {
  sqliteFileOf,
  tableNames,
  tablesOfSqlite,
  withSqlite,
  type MadeDatabase,
} from './sqlite-file.js';

/** For a script of an untrusted dataset. It could otherwise run for ever. */
const timeoutMs = 5 * 60_000;

interface Failure {
  /** Index of the statement. */
  readonly at: number;
  readonly reason: string;
  /** Whether another dialect may have such a statement. */
  readonly dialect: boolean;
}

type Ran =
  | { readonly kind: 'tables'; readonly tables: readonly DatabaseTable[] }
  | ({ readonly kind: 'failed' } & Failure);

/**
 * Makes a database of a script in the dialect of DuckDB, or of SQLite. A database of SQLite is made of the latter only. Throws
 * UserError naming the statement that does not run.
 */
export async function importScript(
  script: string,
  made: MadeDatabase,
): Promise<readonly DatabaseTable[]> {
  const { name, file } = made;
  const statements = statementsOf(script);
  // Dumps of SQLite begin with one, and mean their texts as SQLite does.
  const isDump = statements.some((statement) => firstWord(statement) === 'PRAGMA');
  const isSqlite = isDump || engineOfFile(file) === 'sqlite';
  const inDuckdb = isSqlite ? null : await runInDuckdb(statements, file);
  if (inDuckdb?.kind === 'tables') return inDuckdb.tables;
  const inSqlite = inDuckdb?.dialect === false ? null : await runInSqlite(statements, made);
  if (inSqlite?.kind === 'tables') return inSqlite.tables;
  // The dialect that got further is the more likely one.
  const [failure, dialect] =
    inSqlite && inSqlite.at > (inDuckdb?.at ?? -1) ? [inSqlite, 'SQLite'] : [inDuckdb, 'DuckDB'];
  if (failure === null) throw new Error('no dialect was tried');
  const text = (statements[failure.at] ?? '').replaceAll(/\s+/g, ' ').trim();
  const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  throw new UserError(
    `${name}: statement ${failure.at + 1} (${shown}) does not run in ${dialect}: ${failure.reason}`,
  );
}

/** Errors that the same statement may not have in another dialect. */
const dialectErrors: ReadonlySet<string> = new Set([
  ...['parser', 'syntax', 'catalog', 'binder', 'not-implemented', 'dependency'],
]);

/** The script's own transactions are left out: each would end another one. */
const transactionWords: ReadonlySet<string> = new Set(['BEGIN', 'START', 'COMMIT', 'END']);

/** Runs in memory, since each statement is a transaction; then copies the tables into the file. */
async function runInDuckdb(statements: readonly string[], file: string): Promise<Ran> {
  return withDuckdb(':memory:', async (connection) => {
    await connection.run(`ATTACH '${file.replaceAll("'", "''")}' AS imported_file`);
    for (const statement of [...noExternalAccess, lockedConfiguration]) {
      await connection.run(statement);
    }
    const timer = setTimeout(() => connection.interrupt(), timeoutMs);
    try {
      for (const [at, statement] of statements.entries()) {
        if (transactionWords.has(firstWord(statement))) continue;
        const failure = await connection.run(statement).then(
          () => null,
          (error: unknown) => failureOf(error, at),
        );
        if (failure) return { kind: 'failed', ...failure };
      }
    } finally {
      clearTimeout(timer);
    }
    return { kind: 'tables', tables: await copyTables(connection) };
  });
}

async function copyTables(connection: DuckDBConnection): Promise<readonly DatabaseTable[]> {
  await connection.run('USE memory.main');
  const tables = await describeTables(connection);
  for (const { name } of tables) {
    const table = sqlName(name);
    await connection.run(`CREATE TABLE imported_file.main.${table} AS FROM memory.main.${table}`);
  }
  return tables;
}

const failureOf = (error: unknown, at: number): Failure => ({
  at,
  reason: duckdbReason(error),
  dialect: dialectErrors.has(failureClass(modelMessage(error))),
});

/** Statements that make tables and rows. Others, such as ATTACH, could read or write files. */
const allowedInSqlite = /^(INSERT|REPLACE|UPDATE|DELETE|ALTER|DROP|WITH|CREATE)$/;
const skippedInSqlite = /^(PRAGMA|BEGIN|COMMIT|END|ANALYZE|SAVEPOINT|RELEASE|SELECT)$/;
const offPattern = /foreign_keys\s*(=|\()\s*(0|off|no|false)/i;

/** Foreign keys are checked at the end, unless the script turns them off. */
async function runInSqlite(statements: readonly string[], made: MadeDatabase): Promise<Ran> {
  return withSqlite(sqliteFileOf(made), async (database): Promise<Ran> => {
    database.exec(
      'PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA foreign_keys = OFF; BEGIN',
    );
    for (const [at, statement] of statements.entries()) {
      const word = firstWord(statement);
      if (skippedInSqlite.test(word)) continue;
      const failure = { kind: 'failed', at, dialect: false } as const;
      if (!allowedInSqlite.test(word) || /^[^(]*\bVIRTUAL\b/i.test(statement)) {
        return { ...failure, reason: 'the import runs no such statement' };
      }
      try {
        // Unlike `exec`, `run` would never run a second statement that the split has missed.
        database.run(withTextsInSingleQuotes(statement));
      } catch (error) {
        if (!(error instanceof sqlite.SQLite3Error)) throw error;
        return { ...failure, reason: error.message };
      }
    }
    database.exec('COMMIT');
    const off = statements.some((each) => firstWord(each) === 'PRAGMA' && offPattern.test(each));
    if (!off) checkReferences(database, made.name);
    return { kind: 'tables', tables: await tablesOfSqlite(database, made) };
  });
}

function checkReferences(database: Database, name: string): void {
  for (const table of tableNames(database)) {
    const [broken] = brokenReferences(database, table);
    if (broken === undefined) continue;
    throw new UserError(
      `${name}: row ${String(broken['rowid'])} of table ${table} refers to no row of table ${String(broken['parent'])}`,
    );
  }
}

function brokenReferences(
  database: Database,
  table: string,
): readonly Readonly<Record<string, unknown>>[] {
  try {
    return database.all(`PRAGMA foreign_key_check(${sqlName(table)})`);
  } catch (error) {
    // The key refers to columns that are no key: SQLite could not check it either.
    if (error instanceof sqlite.SQLite3Error) return [];
    throw error;
  }
}
