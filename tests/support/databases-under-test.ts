import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance, type Json } from '@duckdb/node-api';
import sqlite from 'node-sqlite3-wasm';
import {
  importDatabases,
  type DatabaseImport,
} from '../../client/runs/database-qa/import-databases.js';
import {
  databaseDescriptionSchema,
  databaseKey,
  databaseSourceSchema,
  importedDatabaseFile,
  type DatabaseSource,
  type StoredDatabase,
} from '../../domain/stores/database.js';
import { compiledEntry } from './commands/compiled-entry.js';

type Imported = Extract<DatabaseImport, { readonly kind: 'imported' }>;

export interface DatabasesUnderTest {
  /** Of the dataset. */
  readonly folder: string;
  /** TURNWISE_HOME. */
  readonly home: string;
  /** Imports sources as a dataset names them, in their order. */
  readonly read: (...sources: readonly unknown[]) => Promise<readonly DatabaseImport[]>;
  /** Rejects where the source is refused. */
  readonly readOne: (source: unknown) => Promise<Imported>;
  /** The messages of sources that must be refused, without the folder. */
  readonly refusals: (...sources: readonly unknown[]) => Promise<readonly string[]>;
  /** What is said of the texts that a store of an imported database can search. */
  readonly searched: (database: Imported) => StoredDatabase['searched'];
  /** The rows of a query on an imported database. */
  readonly rows: (database: Imported, sql: string) => Promise<readonly (readonly Json[])[]>;
}

/** Datasets with a home of their own each, and the import as a process. */
export function createDatabasesUnderTest(): {
  readonly dataset: () => DatabasesUnderTest;
  readonly remove: () => void;
} {
  const { entry, remove } = compiledEntry('worker/import-databases.ts');
  const root = mkdtempSync(join(tmpdir(), 'turnwise-databases-'));
  return {
    dataset: () => datasetIn(mkdtempSync(join(root, 'dataset-')), fileURLToPath(entry)),
    remove: () => {
      remove();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function datasetIn(folder: string, program: string): DatabasesUnderTest {
  const home = join(folder, 'home');
  mkdirSync(home);
  const read: DatabasesUnderTest['read'] = async (...given) => {
    const sources = given.map((source): DatabaseSource => databaseSourceSchema.parse(source));
    const silent = { onProgress: () => undefined };
    const results = await importDatabases({ home, folder, sources, program, ...silent });
    return sources.flatMap((source) => results.get(databaseKey(source)) ?? []);
  };
  return {
    ...{ folder, home, read },
    readOne: async (source) => {
      const [result] = await read(source);
      if (result?.kind !== 'imported') throw new Error(JSON.stringify(result));
      return result;
    },
    refusals: async (...sources) =>
      (await read(...sources)).map((result) =>
        result.kind === 'refused' ? result.message.replaceAll(`${folder}/`, '') : 'imported',
      ),
    searched: ({ ref }) => {
      const id = ref.kind === 'imported' ? ref.id : '';
      const file = join(home, 'databases', id, 'database.json');
      return databaseDescriptionSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).searched;
    },
    rows: async ({ ref, description: { engine } }, sql) => {
      if (ref.kind !== 'imported') throw new Error('no imported database');
      const file = join(home, importedDatabaseFile(ref.id, engine));
      return engine === 'sqlite' ? querySqlite(file, sql) : queryDuckdb(file, sql);
    },
  };
}

/** Runs statements on a DuckDB file, which is made if it is missing, and gives the rows of the last one. */
export async function queryDuckdb(
  file: string,
  sql: string,
): Promise<readonly (readonly Json[])[]> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The rows of a statement of SQLite, whose columns have different names. */
function querySqlite(file: string, sql: string): readonly (readonly Json[])[] {
  const database = new sqlite.Database(file, { readOnly: true });
  try {
    return database.all(sql).map((row) => Object.values(row) as Json[]);
  } finally {
    database.close();
  }
}

/** Runs a script on a SQLite file, which is made if it is missing. Foreign keys are not checked, as is SQLite's default. */
export function runInSqlite(file: string, script: string): void {
  const database = new sqlite.Database(file);
  database.exec(`PRAGMA foreign_keys = OFF; ${script}`);
  database.close();
}
