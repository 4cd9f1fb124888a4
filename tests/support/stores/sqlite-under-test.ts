import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SqlOutcome } from '../../../activities/ports/tools.js';
import { databaseFileName, databaseIdSchema } from '../../../domain/stores/database.js';
import { createDuckdbTables } from '../../../worker/adapters/duckdb/tables.js';
import { compiledEntry } from '../commands/compiled-entry.js';
import { runInSqlite } from '../databases-under-test.js';

export interface SqliteUnderTest {
  readonly folder: string;
  /** The database. */
  readonly file: string;
  readonly ask: (
    statements: readonly string[],
    limits?: { readonly maxRows?: number; readonly timeoutMs?: number },
  ) => Promise<readonly SqlOutcome[]>;
  /** Rejects when the statement does not give rows. */
  readonly rows: (sql: string) => Promise<readonly (readonly unknown[])[]>;
  readonly remove: () => void;
}

/** The entry of query processes, and the thread that runs SQLite in them. */
export const queryProcess = (): ReturnType<typeof compiledEntry> =>
  compiledEntry(
    'worker/adapters/duckdb/query-process.ts',
    'worker/adapters/sqlite/sqlite-thread.ts',
  );

/** A database of SQLite as an import leaves it, and the adapter that runs statements over it. */
export function createSqliteUnderTest(script: string): SqliteUnderTest {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-sqlite-'));
  const id = databaseIdSchema.parse('0'.repeat(32));
  mkdirSync(join(folder, 'database'));
  const file = join(folder, 'database', databaseFileName('sqlite'));
  runInSqlite(file, script);
  const { entry, remove } = queryProcess();
  const tables = createDuckdbTables({
    generations: {
      holding: () => Promise.reject(new Error('there is no store')),
      file: () => Promise.reject(new Error('there is no store')),
      forget: () => undefined,
    },
    imported: { file: () => Promise.resolve(file) },
    entry,
    processes: 2,
    memoryMb: 600,
    // Other tests run at the same time: how little of the processor these get shall not matter.
    fairShare: 0,
  });
  const database = { kind: 'imported', id } as const;
  const ask: SqliteUnderTest['ask'] = async (
    statements,
    { maxRows = 1000, timeoutMs = 20_000 } = {},
  ) => {
    const { signal } = new AbortController();
    const answers = await tables.queries({ database, statements, maxRows, timeoutMs }, signal);
    return answers.map(({ outcome }) => outcome);
  };
  return {
    ...{ folder, file, ask },
    rows: async (sql) => {
      const [outcome] = await ask([sql]);
      if (outcome?.kind !== 'rows') throw new Error(JSON.stringify(outcome));
      return outcome.result.rows;
    },
    remove: () => {
      tables.close();
      remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
