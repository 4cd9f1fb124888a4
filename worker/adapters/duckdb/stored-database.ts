import { constants, copyFile } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { StoredDatabasesPort } from '../../../activities/ports/store-contents.js';
import type { StoreName } from '../../../domain/ids.js';
import { type SearchedTable } from '../../../domain/stores/database.js';
import { keyTextSql, sqlName, type EncodableCell } from '../../../domain/stores/database-schema.js';
import { databaseFile } from '../../../domain/stores/store-manifest.js';
import type { ImportedDatabases } from '../../../storage/stores/store-place.js';
import { sha256OfFile } from '../../../storage/stores/local-copies.js';
import type { StoreGenerations } from '../../../storage/stores/store-generations.js';
import { nullIfLost } from '../files/stores.js';
import { addMadeFile } from './store-writer.js';

/** Databases of stores. @param scratch - a local folder for files that are being made */
export function createStoredDatabases(
  generations: StoreGenerations,
  imported: ImportedDatabases,
  scratch: string,
): StoredDatabasesPort {
  const fileOf = async (store: StoreName, which: 'current' | 'draft'): Promise<string> => {
    const manifest =
      which === 'current' ? await generations.holding({ store }) : await generations.draft(store);
    return manifest === null ? damaged() : generations.file(manifest, 'tables');
  };

  return {
    copyImported: async (id, store) => {
      const described = await imported.description(id);
      const path = described && (await imported.file(id).catch(nullIfLost));
      if (described === null || path === null || (await sha256OfFile(path)) === null) {
        throw new PortFailure(
          'UnreadableImport',
          `The copy of the database in databases/${id} is missing or damaged: import it again.`,
        );
      }
      const file = { store, file: 'tables', name: databaseFile(store) } as const;
      const tables = await addMadeFile(generations, scratch, file, (made) =>
        copyFile(path, made, constants.COPYFILE_FICLONE),
      );
      const { name, searched } = described;
      const database = { id, name, searched, tables: described.tables, sha256: tables.sha256 };
      return { database, tables };
    },
    sha256: async (store) => {
      const path = await fileOf(store, 'current').catch(nullIfLost);
      return path && sha256OfFile(path);
    },
    cells: async function* (store, which, searched) {
      yield* readCells(await fileOf(store, which), searched);
    },
  };
}

/** The file may have been made by anybody: it gets no more than it needs. */
const options = {
  access_mode: 'READ_ONLY',
  threads: '1',
  memory_limit: '512MB',
  enable_external_access: 'false',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
};

async function* readCells(
  path: string,
  tables: readonly SearchedTable[],
): AsyncGenerator<readonly EncodableCell[]> {
  // Loaded only here: DuckDB takes long to load.
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(path, options).catch(damaged);
  try {
    const connection = await instance.connect();
    try {
      for (const table of tables) yield* cellsOfTable(connection, table);
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
  }
}

/** Cells that are encoded at a time: as many dense vectors are in memory. */
const batchSize = 500;

async function* cellsOfTable(
  connection: DuckDBConnection,
  { table, key, columns }: SearchedTable,
): AsyncGenerator<readonly EncodableCell[]> {
  const texts = columns.map(sqlName).join(', ');
  const sql = `SELECT ${keyTextSql(key)}, ${texts} FROM ${sqlName(table)}`;
  const result = await connection.stream(sql).catch(damaged);
  for (;;) {
    const chunk = await result.fetchChunk().catch(damaged);
    if (!chunk || chunk.rowCount === 0) return;
    const cells = chunk.getRows().flatMap(([primaryKey, ...values]) =>
      columns.flatMap((column, index): readonly EncodableCell[] => {
        const text = String(values[index] ?? '').trim();
        const place = { table, column, primaryKey: String(primaryKey), pageNumber: -1 };
        return text === '' ? [] : [{ ...place, text }];
      }),
    );
    for (let from = 0; from < cells.length; from += batchSize) {
      yield cells.slice(from, from + batchSize);
    }
  }
}

function damaged(cause?: unknown): never {
  throw new PortFailure('StoreMissing', 'The database is missing or damaged.', { cause });
}
