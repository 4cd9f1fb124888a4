import { copyFile, constants } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { z } from 'zod';
import { sqlText } from '../../../domain/formats/sql.js';
import type { CsvSettings } from '../../../domain/stores/csv-table.js';
import { tableFile, type DatabaseTable } from '../../../domain/stores/database.js';
import { sqlName } from '../../../domain/stores/database-schema.js';
import { paperTables } from '../../../domain/stores/paper-tables.js';
import { UserError } from '../../../domain/user-error.js';
import { modelMessage } from '../duckdb/allowed-statement.js';
import { noExtensions, withConnection } from '../duckdb/open-store.js';
import { importCsv, type CsvNotes } from './csv-file.js';

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
    const words = duckdbReason(error);
    throw new UserError(`${source} cannot be opened: ${words}${remedyFor(words)}`);
  });
}

/** DuckDB has no codes for these. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /version number|encrypted/,
    "; what can open it makes a folder of tables, which is a database here: EXPORT DATABASE 'FOLDER' (FORMAT parquet)",
  ],
  [/./, '; if it is damaged, take a whole copy of it'],
];

const remedyFor = (words: string): string =>
  remedies.find(([pattern]) => pattern.test(words))?.[1] ?? '';

/** Whether a database has all tables of a store of papers. One that cannot be opened has not. */
export const holdsPapers = (source: string): Promise<boolean> =>
  withConnection(source, { ...options, access_mode: 'READ_ONLY' }, async (connection) => {
    const reader = await connection.runAndReadAll(
      `SELECT table_name FROM duckdb_tables() WHERE ${ofThisDatabase}`,
    );
    const names = reader.getRows().map(([name]) => name);
    return Object.keys(paperTables).every((table) => names.includes(table));
  }).catch(() => false);

/**
 * Makes a table of each file (`tableFile`), with the file's name. Throws UserError naming a bad file.
 * @param settingsOf - how the CSV file of a table is read
 */
export function importTableFiles(
  files: readonly string[],
  file: string,
  settingsOf: (table: string) => CsvSettings,
): Promise<readonly DatabaseTable[]> {
  return withDuckdb(file, async (connection) => {
    const read = new Map<string, CsvNotes>();
    for (const path of files) {
      const table = tableFile.exec(basename(path))?.[1] ?? basename(path);
      const settings = settingsOf(table);
      if (/\.[ct]sv(\.gz)?$/i.test(path)) {
        read.set(table, await importCsv(connection, { path, table, settings }));
        continue;
      }
      // All records decide the types, so that no later one contradicts them.
      const reader = /\.parquet$/i.test(path)
        ? `read_parquet(${literal(path)})`
        : `read_json(${literal(path)}, sample_size = -1)`;
      await connection
        .run(`CREATE TABLE ${sqlName(table)} AS FROM ${reader}`)
        .catch((error: unknown) => {
          throw new UserError(`${path} does not make a table: ${duckdbReason(error)}`);
        });
    }
    return (await describeTables(connection)).map((table) => withNotes(table, read));
  });
}

function withNotes(table: DatabaseTable, read: ReadonlyMap<string, CsvNotes>): DatabaseTable {
  const notes = read.get(table.name);
  if (notes === undefined) return table;
  const columns = table.columns.map((column) => ({
    ...column,
    note: notes.columns.get(column.name),
  }));
  return { ...table, columns, note: notes.table };
}

/** A path as a SQL text, in which DuckDB sees no pattern. */
export const literal = (path: string): string => sqlText(path.replaceAll(/[*?[]/g, '[$&]'));

/** DuckDB's message on one line, without the class of the error and the place in the SQL, which it shows over two lines. */
export const duckdbReason = (error: unknown): string =>
  modelMessage(error)
    .replace(/^[\w ]+ Error: /, '')
    .split(/\s*\n\s*/)
    .filter((line) => line !== '^' && !/^LINE \d+:/.test(line))
    .join(' ');

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
    kind: z.enum(['PRIMARY KEY', 'FOREIGN KEY', 'UNIQUE', 'CHECK']),
    columns: z.array(z.string()),
    check: z.string().nullable(),
    other: z.string().nullable(),
    references: z.array(z.string()).nullable(),
  }),
};

const ofThisDatabase = `database_name = current_database() AND schema_name = 'main'`;

/** The views, and the tables of other schemas than `main`: neither are described. */
export const leftOutOf = async (connection: DuckDBConnection): Promise<readonly string[]> => {
  const reader = await connection.runAndReadAll(
    `WITH found AS (
       SELECT 'view' AS kind, schema_name, view_name AS name FROM duckdb_views()
       WHERE database_name = current_database() AND NOT internal
       UNION ALL
       SELECT 'table', schema_name, table_name FROM duckdb_tables()
       WHERE database_name = current_database() AND NOT internal AND schema_name <> 'main'
     )
     SELECT kind || ' ' || if(schema_name = 'main', '', schema_name || '.') || name FROM found ORDER BY ALL`,
  );
  return z.array(z.string()).parse(reader.getRows().flat());
};

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
            expression AS "check", referenced_table AS other, referenced_column_names AS "references"
     FROM duckdb_constraints()
     WHERE ${ofThisDatabase} AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY', 'UNIQUE', 'CHECK')
     ORDER BY constraint_index`,
    rowSchemas.keys,
  );
  const described: DatabaseTable[] = [];
  for (const { name, comment } of tables) {
    const [counted] = await rows(
      `SELECT count(*)::INTEGER AS rows FROM ${sqlName(name)}`,
      z.object({ rows: z.int() }),
    );
    const own = keys.filter(({ table }) => table === name);
    const unique = own.flatMap(({ kind, columns }) => (kind === 'UNIQUE' ? [columns] : []));
    const checks = own.flatMap(({ kind, check }) => (kind === 'CHECK' && check ? [check] : []));
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
      ...(unique.length > 0 && { unique }),
      ...(checks.length > 0 && { checks }),
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
