import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SqlOutcome } from '../../../activities/ports/tools.js';
import { storeNameSchema, type StoreName } from '../../../domain/ids.js';
import { createDuckdbTables } from '../../../worker/adapters/duckdb/tables.js';
import { compiledEntry } from '../commands/compiled-entry.js';
import { filesIn, makeStore } from './make-store.js';

export interface TablesUnderTest {
  readonly folder: string;
  readonly stores: string;
  readonly store: StoreName;
  readonly file: string;
  readonly tables: ReturnType<typeof createDuckdbTables>;
  readonly query: (
    sql: string,
    limits?: { readonly maxRows?: number; readonly timeoutMs?: number },
  ) => Promise<SqlOutcome>;
  /** Rejects when the statement does not give rows. */
  readonly rows: (sql: string) => Promise<readonly unknown[]>;
  readonly make: () => Promise<void>;
  readonly remove: () => void;
}

/** The DuckDB adapter over a folder with a small store `papers` and, beside the stores, a file that nothing may read. */
export function createTablesUnderTest(): TablesUnderTest {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-tables-'));
  const stores = join(folder, 'stores');
  const store = storeNameSchema.parse('papers');
  const { entry, remove } = compiledEntry(
    'worker/adapters/duckdb/query-process.ts',
    'worker/adapters/sqlite/sqlite-thread.ts',
  );
  // Other tests run at the same time: how little of the processor these get shall not matter.
  const tables = createDuckdbTables({ ...filesIn(stores), entry, memoryMb: 600, fairShare: 0 });

  const query: TablesUnderTest['query'] = (sql, { maxRows = 10, timeoutMs = 20_000 } = {}) =>
    tables.query(
      { database: { kind: 'store', name: store }, sql, maxRows, timeoutMs },
      new AbortController().signal,
    );

  return {
    folder,
    stores,
    store,
    file: join(stores, store, `${store}.duckdb`),
    tables,
    query,
    rows: async (sql) => {
      const outcome = await query(sql);
      if (outcome.kind !== 'rows') throw new Error(JSON.stringify(outcome));
      return outcome.result.rows;
    },
    make: async () => {
      await makeStore(stores, store, [
        'CREATE TABLE papers (paper_id UUID PRIMARY KEY, title VARCHAR, year INTEGER)',
        "INSERT INTO papers SELECT uuid(), 'Paper ' || i, 2015 + i % 10 FROM range(100) t(i)",
        'CREATE TABLE pairs (a INTEGER, b VARCHAR, note VARCHAR, PRIMARY KEY (a, b))',
        "INSERT INTO pairs VALUES (1, 'x', 'first'), (2, 'y', NULL), (3, 'z', 'third')",
        'CREATE TABLE "odd name" (k VARCHAR, "te""xt" VARCHAR)',
        `INSERT INTO "odd name" VALUES ('k''1', 'quoted')`,
      ]);
      writeFileSync(join(folder, 'canary.csv'), 'a\ncanary-of-the-file\n');
    },
    remove: () => {
      tables.close();
      remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
