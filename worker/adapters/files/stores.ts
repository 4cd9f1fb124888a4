import { join } from 'node:path';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { DatabasesPort, StoresPort } from '../../../activities/ports/stores.js';
import type { StoreName } from '../../../domain/ids.js';
import { bm25Encoder, bm25Schema, type Bm25Encoder } from '../../../domain/stores/bm25.js';
import { describeStore } from '../../../domain/stores/database-ddl.js';
import {
  databaseDescriptionFile,
  databaseDescriptionSchema,
} from '../../../domain/stores/database.js';
import {
  bm25File,
  storeFolder,
  storeManifestFile,
  storeManifestSchema,
  type StoreManifest,
} from '../../../domain/stores/store-manifest.js';
import { readJsonFile } from '../../../storage/atomic-file.js';
import { UnchangedFiles } from '../../../storage/unchanged-files.js';

/** Of the manifests, which every turn reads. */
const cachedBytes = 2 ** 20;
/** Of the descriptions of databases. A large one takes 100 kB. */
const cachedDescriptionBytes = 2 ** 24;

/** Stores in `stores/` of TURNWISE_HOME, which every worker can access. */
export function createFolderStores(home: string): StoresPort {
  const manifestOf = cachedManifests(home);
  return { fingerprint: async (store) => (await manifestOf(store)).fingerprint };
}

function cachedManifests(home: string): (store: StoreName) => Promise<StoreManifest> {
  const cache = new UnchangedFiles(cachedBytes);
  return async (store) => {
    const path = join(home, storeFolder(store), storeManifestFile);
    const manifest = await cache.read(
      path,
      async () => storeManifestSchema.safeParse(await readJsonFile(path)).data ?? null,
    );
    if (manifest) return manifest;
    throw new PortFailure('StoreMissing', `There is no store '${store}', or it is damaged.`);
  };
}

/** Databases in `databases/` and stores of TURNWISE_HOME, which every worker can access. */
export function createFolderDatabases(home: string): DatabasesPort {
  const manifestOf = cachedManifests(home);
  const cache = new UnchangedFiles(cachedDescriptionBytes);
  return {
    description: async (database) => {
      if (database.kind === 'store') {
        return describeStore(await manifestOf(database.name));
      }
      const path = join(home, databaseDescriptionFile(database.id));
      const description = await cache.read(
        path,
        async () => databaseDescriptionSchema.safeParse(await readJsonFile(path)).data ?? null,
      );
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

/**
 * The manifest and the BM25 model of a store, read once for each generation. Every new generation has a new manifest file.
 * Throws PortFailure('StoreMissing').
 * @param home - TURNWISE_HOME
 */
export function createOpenedStores(home: string): (store: StoreName) => Promise<OpenedStore> {
  // Without a limit: to open a store takes seconds.
  const opened = new UnchangedFiles();
  return async (name) => {
    const path = join(home, storeFolder(name), storeManifestFile);
    const store = await opened.read(path, () => open(home, name));
    if (store) return store;
    throw new PortFailure(
      'StoreMissing',
      `There is no store '${name}': \`turnwise ingest PATH… --store ${name}\` makes it.`,
    );
  };
}

async function open(home: string, name: StoreName): Promise<OpenedStore> {
  const inFolder = (file: string): string => join(home, storeFolder(name), file);
  const manifest = storeManifestSchema.safeParse(await readJsonFile(inFolder(storeManifestFile)));
  const bm25 =
    manifest.success &&
    bm25Schema.safeParse(await readJsonFile(inFolder(bm25File(manifest.data.generation))));
  if (bm25 === false || !bm25.success) {
    throw new PortFailure(
      'StoreMissing',
      `The files of store '${name}' are damaged: ingest its papers again.`,
    );
  }
  return { manifest: manifest.data, bm25: bm25Encoder(bm25.data) };
}
