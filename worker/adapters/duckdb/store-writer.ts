import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreWriterPort } from '../../../activities/ports/stores.js';
import type { FileContent } from '../../../domain/file-content.js';
import type { StoreName } from '../../../domain/ids.js';
import { bm25File, databaseFile, type StoreFile } from '../../../domain/stores/store-manifest.js';
import { nullIfAbsent, writeFileAtomically } from '../../../storage/atomic-file.js';
import type { StoreGenerations } from '../../../storage/stores/store-generations.js';

/** What is older was left by a process that was killed. */
const abandonedAfterMs = 48 * 60 * 60 * 1000;

/**
 * Makes a file in a folder of its own and hands it over to the generations.
 * @param scratch - the folder in which folders are made
 */
export async function addMadeFile(
  generations: Pick<StoreGenerations, 'add'>,
  scratch: string,
  {
    store,
    file,
    name,
  }: { readonly store: StoreName; readonly file: StoreFile; readonly name: string },
  make: (path: string) => Promise<void>,
): Promise<FileContent> {
  await removeAbandoned(scratch);
  const folder = join(scratch, randomUUID());
  await mkdir(folder, { recursive: true });
  try {
    const path = join(folder, name);
    await make(path);
    return await generations.add(store, file, path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function removeAbandoned(scratch: string): Promise<void> {
  for (const name of (await readdir(scratch).catch(nullIfAbsent)) ?? []) {
    const path = join(scratch, name);
    const { mtimeMs } = (await stat(path).catch(nullIfAbsent)) ?? { mtimeMs: Infinity };
    if (Date.now() - mtimeMs > abandonedAfterMs) await rm(path, { recursive: true, force: true });
  }
}

/** Generations with a DuckDB file. @param scratch - a local folder for files that are being made */
export function createDuckdbStoreWriter(
  generations: StoreGenerations,
  scratch: string,
): StoreWriterPort {
  return {
    manifest: generations.current,
    draft: generations.draft,
    writeDraft: generations.writeDraft,
    isWhole: generations.isWhole,
    writeTables: (store, papers) =>
      addMadeFile(
        generations,
        scratch,
        { store, file: 'tables', name: databaseFile(store) },
        async (path) => {
          // Loaded only here: DuckDB takes long to load, and most workers write no store.
          const { writeTables } = await import('./tables-file.js');
          await writeTables(path, papers);
        },
      ),
    writeBm25: (store, model) =>
      addMadeFile(generations, scratch, { store, file: 'bm25', name: bm25File }, (path) =>
        writeFileAtomically(path, JSON.stringify(model)),
      ),
    publish: generations.publish,
  };
}
