import { join } from 'node:path';
import { storageOf, type Environment } from '../../domain/settings.js';
import { createImportedDatabases, type ImportedDatabases } from './imported-databases.js';
import { copiesFolder, createLocalCopies, type LocalCopies } from './local-copies.js';
import type { ObjectStorage } from '../objects.js';
import { openStorage } from '../open-storage.js';
import { createStoreGenerations, type StoreGenerations } from './store-generations.js';

/** The settings that say where stores and databases are, and where their local copies. */
export type StoreSettings = Pick<Environment, 'TURNWISE_HOME' | 'TURNWISE_STORAGE'>;

export interface StorePlace {
  readonly storage: ObjectStorage;
  readonly copies: LocalCopies;
  readonly generations: StoreGenerations;
  readonly imported: ImportedDatabases;
  /** Where databases are imported: the storage itself, or the local copies. */
  readonly importFolder: string;
}

/** Of one place in a process: it remembers what it has read. */
const opened = new Map<string, StorePlace>();

export function openStorePlace(settings: StoreSettings): StorePlace {
  const key = JSON.stringify([settings.TURNWISE_HOME, settings.TURNWISE_STORAGE]);
  const place = opened.get(key) ?? make(settings);
  opened.set(key, place);
  return place;
}

function make(settings: StoreSettings): StorePlace {
  const storage = openStorage(storageOf(settings));
  const folder = join(settings.TURNWISE_HOME, copiesFolder);
  const copies = createLocalCopies(storage, folder);
  return {
    storage,
    copies,
    generations: createStoreGenerations(storage, copies),
    imported: createImportedDatabases(storage, copies),
    importFolder: storage.fileOf('') ?? folder,
  };
}
