import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreContentsPort } from '../../../activities/ports/store-contents.js';
import type { StoreName } from '../../../domain/ids.js';
import { bm25Schema } from '../../../domain/stores/bm25.js';
import {
  bm25File,
  databaseFile,
  draftDatabaseFile,
  draftManifestFile,
  isBm25File,
  papersFolder,
  sha256OfFile,
  storeFolder,
  storeManifestFile,
  storeManifestSchema,
} from '../../../domain/stores/store-manifest.js';
import { nullIfAbsent, readJsonFile } from '../../../storage/atomic-file.js';

const keySchema = storeManifestSchema.pick({ name: true, key: true });

/** The folders of stores, for checks and for removal. @param home - TURNWISE_HOME */
export function createFolderContents(home: string): StoreContentsPort {
  const inFolder = (store: StoreName, file: string): string => join(home, storeFolder(store), file);
  const filesOf = async (store: StoreName): Promise<readonly string[]> =>
    (await readdir(inFolder(store, '.')).catch(nullIfAbsent)) ?? [];
  const removeFile = (store: StoreName, name: string): Promise<void> =>
    rm(inFolder(store, name), { force: true, recursive: true });

  return {
    tables: async (store) => {
      const path = inFolder(store, databaseFile(store));
      if (!(await filesOf(store)).includes(databaseFile(store))) {
        return { unreadable: `${databaseFile(store)} is missing` };
      }
      // Loaded only here: DuckDB takes long to load.
      const { openStoredTables } = await import('./stored-tables.js');
      return openStoredTables(path);
    },
    bm25: async ({ name, generation }) =>
      bm25Schema.safeParse(await readJsonFile(inFolder(name, bm25File(generation)))).data ?? null,
    leftovers: async ({ name, generation, papers }) => {
      const database = draftDatabaseFile(name);
      const drafts = [draftManifestFile, database, `${database}.wal`];
      const files = (await filesOf(name)).filter(
        (file) => drafts.includes(file) || (isBm25File(file) && file !== bm25File(generation)),
      );
      const held = new Set(papers.map(({ sha256 }) => sha256));
      const kept = (await readdir(inFolder(name, papersFolder)).catch(nullIfAbsent)) ?? [];
      const unused = kept.filter((file) => !held.has(sha256OfFile(file)));
      return [...files, ...unused.map((file) => `${papersFolder}/${file}`)];
    },
    removeFile,
    withdraw: async (store) => {
      const withdrawn = inFolder(store, draftManifestFile);
      await rename(inFolder(store, storeManifestFile), withdrawn).catch(nullIfAbsent);
      return keySchema.safeParse(await readJsonFile(withdrawn)).data ?? null;
    },
    remove: async (store) => {
      const files = await filesOf(store);
      for (const file of files) {
        if (file !== draftManifestFile) await removeFile(store, file);
      }
      await removeFile(store, draftManifestFile);
      await rmdir(inFolder(store, '.')).catch(nullIfAbsent);
      return files.length > 0;
    },
  };
}
