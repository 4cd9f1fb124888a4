import { copyFile, constants } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { z } from 'zod';
import { sqlName } from '../../../domain/stores/database-ddl.js';
import { paperTables } from '../../../domain/stores/paper-tables.js';
import type { DatabaseTable } from '../../../domain/stores/database.js';
import { UserError } from '../../../domain/user-error.js';
import { modelMessage } from '../duckdb/allowed-statement.js';
import { noExtensions, withConnection } from '../duckdb/open-store.js';

/** Nothing is downloaded, and one import leaves memory to the others on this machine. */
const options = { memory_limit: '1GB', ...noExtensions };

/**
 * Runs `work` on a DuckDB database, which it makes if there is none, in one transaction: each would wait for the disk.
 * @param file - or `:memory:`, where each statement is a transaction
 */
export const withDuckdb = <T>(
  file: string,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> =>
  withConnection(file, options, async (connection) => {
    if (file === ':memory:') return work(connection);
    await connection.run('BEGIN');
    const made = await work(connection);
    await connection.run('COMMIT');
    return made;
  });

/** Copies a DuckDB database. Throws UserError if DuckDB cannot open it. */
export async function copyDuckdb(source: string, file: string): Promise<readonly DatabaseTable[]> {
  await copyFile(source, file, constants.COPYFILE_FICLONE);
  // What a process that has the database open, or was killed, has not written into it yet.
  if (existsSync(`${source}.wal`)) await copyFile(`${source}.wal`, `${file}.wal`);
  return withDuckdb(file, describeTables).catch((error: unknown) => {
    if (error instanceof UserError) throw error;
    throw new UserError(
      `${source} cannot be opened by DuckDB: it is damaged, encrypted, or written by a later version`,
    );
  });
}

/** Whether a database has all tables of a store of papers. One that cannot be opened has not. */
export const holdsPapers = (source: string): Promise<boolean> =>
  withConnection(source, { ...options, access_mode: 'READ_ONLY' }, async (connection) => {
    const reader = await connection.runAndReadAll(
      `SELECT table_name FROM duckdb_tables() WHERE ${ofThisDatabase}`,
    );
    const names = reader.getRows().map(([name]) => name);
    return Object.keys(paperTables).every((table) => names.includes(table));
  }).catch(() => false);

/** Makes a table of each CSV or Parquet file, with the file's name. Throws UserError naming a bad file. */
export function importTableFiles(
  files: readonly string[],
  file: string,
): Promise<readonly DatabaseTable[]> {
  return withDuckdb(file, async (connection) => {
    for (const path of files) {
      const table = sqlName(basename(path, extname(path)));
      const reader = /\.parquet$/i.test(path)
        ? `read_parquet(${literal(path)})`
        : // The whole file decides the types, so that no later row contradicts them.
          `read_csv(${literal(path)}, header = true, sample_size = -1)`;
      await connection.run(`CREATE TABLE ${table} AS FROM ${reader}`).catch((error: unknown) => {
        throw new UserError(`${path} does not make a table: ${duckdbReason(error)}`);
      });
    }
    return describeTables(connection);
  });
}

/** A path as a SQL text, in which DuckDB sees no pattern. */
export const literal = (path: string): string =>
  `'${path.replaceAll("'", "''").replaceAll(/[*?[]/g, '[$&]')}'`;

/** The first line of DuckDB's message, without the class of the error. */
export const duckdbReason = (error: unknown): string =>
  (modelMessage(error).split('\n', 1)[0] ?? '').replace(/^[\w ]+ Error: /, '');

const rowSchemas = {
  tables: z.object({ name: z.string(), comment: z.string().nullable() }),
  columns: z.object({
    table: z.string(),
    name: z.string(),
    type: z.string(),
    nullable: z.boolean(),
    comment: z.string().nullable(),
  }),
  keys: z.object({
    table: z.string(),
    kind: z.enum(['PRIMARY KEY', 'FOREIGN KEY']),
    columns: z.array(z.string()),
    other: z.string().nullable(),
    references: z.array(z.string()).nullable(),
  }),
};

const ofThisDatabase = `database_name = current_database() AND schema_name = 'main'`;

/** The tables of schema `main`, in the order in which they were made. */
export async function describeTables(
  connection: DuckDBConnection,
): Promise<readonly DatabaseTable[]> {
  const rows = async <T>(sql: string, schema: z.ZodType<T>): Promise<readonly T[]> =>
    z.array(schema).parse((await connection.runAndReadAll(sql)).getRowObjectsJson());

  const tables = await rows(
    `SELECT table_name AS name, comment FROM duckdb_tables()
     WHERE ${ofThisDatabase} AND NOT internal AND NOT temporary ORDER BY table_oid`,
    rowSchemas.tables,
  );
  const columns = await rows(
    `SELECT table_name AS "table", column_name AS name, data_type AS type, is_nullable AS nullable, comment
     FROM duckdb_columns() WHERE ${ofThisDatabase} AND NOT internal ORDER BY column_index`,
    rowSchemas.columns,
  );
  const keys = await rows(
    `SELECT table_name AS "table", constraint_type AS kind, constraint_column_names AS columns,
            referenced_table AS other, referenced_column_names AS "references"
     FROM duckdb_constraints()
     WHERE ${ofThisDatabase} AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY') ORDER BY constraint_index`,
    rowSchemas.keys,
  );
  const described: DatabaseTable[] = [];
  for (const { name, comment } of tables) {
    const [counted] = await rows(
      `SELECT count(*)::INTEGER AS rows FROM ${sqlName(name)}`,
      z.object({ rows: z.int() }),
    );
    const own = keys.filter(({ table }) => table === name);
    described.push({
      name,
      description: comment ?? '',
      rows: counted?.rows ?? 0,
      columns: columns
        .filter(({ table }) => table === name)
        .map(({ name, type, nullable, comment }) => ({
          ...{ name, type, nullable },
          description: comment ?? '',
        })),
      primaryKey: own.find(({ kind }) => kind === 'PRIMARY KEY')?.columns ?? [],
      foreignKeys: own
        .filter(({ kind }) => kind === 'FOREIGN KEY')
        .map(({ columns, other, references }) => ({
          columns,
          table: other ?? '',
          references: references ?? [],
        })),
    });
  }
  return described;
}
