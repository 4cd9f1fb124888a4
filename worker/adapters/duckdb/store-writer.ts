import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { StoreWriterPort } from '../../../activities/ports/stores.js';
import type { StoreName } from '../../../domain/ids.js';
import {
  bm25File,
  databaseFile,
  draftDatabaseFile,
  draftManifestFile,
  isBm25File,
  storeFolder,
  storeManifestFile,
  storeManifestSchema,
  type StoreManifest,
} from '../../../domain/stores/store-manifest.js';
import { readJsonFile, writeFileAtomically } from '../../../storage/atomic-file.js';

/** Stores as folders with a DuckDB file. @param home - TURNWISE_HOME */
export function createDuckdbStoreWriter(home: string): StoreWriterPort {
  const inFolder = (store: StoreName, file: string): string => join(home, storeFolder(store), file);

  async function readManifest(store: StoreName, file: string): Promise<StoreManifest | null> {
    const path = inFolder(store, file);
    if (!(await exists(path))) return null;
    const manifest = storeManifestSchema.safeParse(await readJsonFile(path));
    if (manifest.success) return manifest.data;
    throw new PortFailure(
      'StoreMissing',
      `${path} is damaged: delete it and ingest the papers again.`,
    );
  }

  const write = (name: StoreName, file: string, content: string): Promise<void> =>
    writeFileAtomically(inFolder(name, file), content);

  const writeManifest = (manifest: StoreManifest, file: string): Promise<void> =>
    write(manifest.name, file, `${JSON.stringify(manifest, undefined, 2)}\n`);

  return {
    manifest: (store) => readManifest(store, storeManifestFile),
    draft: (store) => readManifest(store, draftManifestFile),
    writeDraft: (draft) => writeManifest(draft, draftManifestFile),
    isWhole: async ({ name, generation }) =>
      (await exists(inFolder(name, databaseFile(name)))) &&
      (await exists(inFolder(name, bm25File(generation)))),
    writeTables: async (store, papers) => {
      const path = inFolder(store, draftDatabaseFile(store));
      await mkdir(inFolder(store, '.'), { recursive: true });
      for (const leftover of [path, `${path}.wal`]) await rm(leftover, { force: true });
      // Loaded only here: DuckDB takes long to load, and most workers write no store.
      const { writeTables } = await import('./tables-file.js');
      await writeTables(path, papers);
    },
    writeBm25: ({ name, generation }, model) =>
      write(name, bm25File(generation), JSON.stringify(model)),
    publish: async (draft) => {
      const { name, generation } = draft;
      const drafted = inFolder(name, draftDatabaseFile(name));
      // Absent if an earlier attempt was interrupted after this line.
      if (await exists(drafted)) await rename(drafted, inFolder(name, databaseFile(name)));
      await writeManifest(draft, storeManifestFile);
      await rm(inFolder(name, draftManifestFile), { force: true });
      const files = await readdir(inFolder(name, '.'));
      const outdated = files.filter((file) => isBm25File(file) && file !== bm25File(generation));
      for (const file of outdated) await rm(inFolder(name, file), { force: true });
    },
  };
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
