import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { StoredDatabasesPort } from '../../../activities/ports/store-contents.js';
import type { StoreName } from '../../../domain/ids.js';
import { keyTextSql, sqlName } from '../../../domain/stores/database-ddl.js';
import {
  databaseDescriptionFile,
  databaseDescriptionSchema,
  importedDatabaseFile,
  type SearchedTable,
} from '../../../domain/stores/database.js';
import type { EncodableCell } from '../../../domain/stores/database-schema.js';
import {
  databaseFile,
  draftDatabaseFile,
  storeFolder,
} from '../../../domain/stores/store-manifest.js';
import { nullIfAbsent, readJsonFile } from '../../../storage/atomic-file.js';

/** Databases in the folders of stores. @param home - TURNWISE_HOME */
export function createFolderStoredDatabases(home: string): StoredDatabasesPort {
  const inFolder = (store: StoreName, file: string): string => join(home, storeFolder(store), file);
  const current = (store: StoreName): string => inFolder(store, databaseFile(store));
  const draft = (store: StoreName): string => inFolder(store, draftDatabaseFile(store));

  /** Resolves to the SHA-256 of the draft; null if there is no such source. */
  const copyToDraft = async (source: string, store: StoreName): Promise<string | null> => {
    await mkdir(inFolder(store, '.'), { recursive: true });
    for (const left of [draft(store), `${draft(store)}.wal`]) await rm(left, { force: true });
    await copyFile(source, draft(store), constants.COPYFILE_FICLONE).catch(nullIfAbsent);
    return sha256Of(draft(store));
  };

  return {
    copyImported: async (id, store) => {
      const json = await readJsonFile(join(home, databaseDescriptionFile(id)));
      const description = databaseDescriptionSchema.safeParse(json).data;
      const sha256 = await copyToDraft(join(home, importedDatabaseFile(id)), store);
      if (description === undefined || sha256 === null) {
        throw new PortFailure(
          'UnreadableImport',
          `The copy of the database in databases/${id} is missing or damaged: import it again.`,
        );
      }
      return { ...description, sha256 };
    },
    copyCurrent: async (store) => {
      await copyToDraft(current(store), store);
    },
    sha256: (store) => sha256Of(current(store)),
    cells: (store, which, searched) =>
      readCells(which === 'draft' ? draft(store) : current(store), searched),
  };
}

/** Null if there is no such file. */
async function sha256Of(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  const bytes = createReadStream(path, { highWaterMark: 2 ** 20 });
  return pipeline(bytes, hash).then(() => hash.digest('hex'), nullIfAbsent);
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

function damaged(cause: unknown): never {
  throw new PortFailure('StoreMissing', 'The database is missing or damaged.', { cause });
}
