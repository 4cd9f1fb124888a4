import { readFile } from 'node:fs/promises';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { DatabasesPort, StoresPort } from '../../../activities/ports/stores.js';
import { jsonIn } from '../../../domain/formats/json.js';
import { bm25Encoder, bm25Schema, type Bm25Encoder } from '../../../domain/stores/bm25.js';
import { describeStore } from '../../../domain/stores/database-schema.js';
import type { StoreManifest } from '../../../domain/stores/store-manifest.js';
import { nullIfAbsent } from '../../../storage/atomic-file.js';
import type { ImportedDatabases } from '../../../storage/stores/store-place.js';
import type { StoreContents, StoreGenerations } from '../../../storage/stores/store-generations.js';
import { UnchangedFiles } from '../../../storage/unchanged-files.js';

/** The contents of stores, by their fingerprints. */
export function createStores(generations: StoreGenerations): StoresPort {
  return {
    holds: async (store, fingerprint) => {
      try {
        await generations.holding({ store, fingerprint });
        return true;
      } catch (error) {
        if (error instanceof PortFailure && error.type === 'StoreChanged') return false;
        throw error;
      }
    },
  };
}

/** Imported databases and stores. */
export function createDatabases(
  generations: StoreGenerations,
  imported: ImportedDatabases,
): DatabasesPort {
  return {
    description: async (database) => {
      if (database.kind === 'store') {
        const { name: store, fingerprint } = database;
        return describeStore(await generations.holding({ store, fingerprint }));
      }
      const description = await imported.description(database.id);
      if (description) return description;
      throw new PortFailure(
        'StoreMissing',
        `Database ${database.id} is missing. Start the run again with the same command, which imports it.`,
      );
    },
  };
}

export interface OpenedStore {
  readonly manifest: StoreManifest;
  readonly bm25: Bm25Encoder;
}

/** Opens stores for searches. Throws PortFailure('StoreMissing') and PortFailure('StoreChanged'). */
export function createOpenedStores(
  generations: StoreGenerations,
): (contents: StoreContents) => Promise<OpenedStore> {
  // Without a limit: to open a store takes seconds.
  const opened = new UnchangedFiles();
  return async (contents) => {
    const manifest = await generations.holding(contents);
    const path = await generations.file(manifest, 'bm25');
    const bm25 = await opened.read(path, () => encoderIn(path));
    if (bm25) return { manifest, bm25 };
    throw new PortFailure(
      'StoreMissing',
      `The files of store '${manifest.name}' are damaged: ingest its papers again.`,
    );
  };
}

async function encoderIn(path: string): Promise<Bm25Encoder | null> {
  const text = await readFile(path, 'utf8').catch(nullIfAbsent);
  const model = bm25Schema.safeParse(jsonIn(text ?? ''));
  return model.success ? bm25Encoder(model.data) : null;
}

/** For a file of a store that is not there any more. */
export function nullIfLost(error: unknown): null {
  if (error instanceof PortFailure && error.type === 'StoreMissing') return null;
  throw error;
}
