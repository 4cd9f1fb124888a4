import { join } from 'node:path';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { jsonIn } from '../../domain/formats/json.js';
import { storageOf, type Environment } from '../../domain/settings.js';
import {
  databaseDescriptionFile,
  databaseDescriptionSchema,
  databaseFolder,
  importedDatabaseFile,
  type DatabaseDescriptionFile,
  type DatabaseId,
} from '../../domain/stores/database.js';
import { accessingFiles } from '../atomic-file.js';
import { readText, type ObjectStorage } from '../objects.js';
import { openStorage } from '../open-storage.js';
import { ParsedCache } from '../unchanged-files.js';
import { copiesFolder, createLocalCopies, type LocalCopies } from './local-copies.js';
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

/** Databases that were imported. Throws PortFailure where the storage cannot be read. */
export interface ImportedDatabases {
  /** Null if it is missing or damaged. */
  readonly description: (id: DatabaseId) => Promise<DatabaseDescriptionFile | null>;
  /** The path of its file. Throws PortFailure('StoreMissing') where it is lost; in a folder it may be missing. */
  readonly file: (id: DatabaseId) => Promise<string>;
}

export function createImportedDatabases(
  storage: ObjectStorage,
  copies: LocalCopies,
): ImportedDatabases {
  /** What the tables are never changes: an id is made of the source. */
  const descriptions = new ParsedCache<DatabaseId, DatabaseDescriptionFile>();

  async function read(id: DatabaseId): Promise<DatabaseDescriptionFile | null> {
    const path = databaseDescriptionFile(id);
    const text = await accessingFiles(`${path} of ${storage.location} cannot be read`, () =>
      readText(storage, path),
    );
    const parsed = databaseDescriptionSchema.safeParse(jsonIn(text ?? '')).data;
    if (text === null || parsed === undefined) return null;
    descriptions.set(id, parsed, text.length);
    return parsed;
  }

  return {
    description: async (id) => descriptions.get(id) ?? read(id),
    file: async (id) => {
      const isInPlace = storage.fileOf(databaseFolder(id)) !== null;
      // Elsewhere another import of the source may have written other bytes for the same rows.
      const described = (isInPlace && descriptions.get(id)) || (await read(id));
      const path = importedDatabaseFile(id, described?.engine);
      const inPlace = storage.fileOf(path);
      if (inPlace !== null) return inPlace;
      if (described !== null) return copies.file(path, described.content);
      throw new PortFailure('StoreMissing', `Database ${id} is missing or damaged.`);
    },
  };
}

/**
 * Puts a database that was imported into the folder of local copies into the storage, its description last. Where the storage
 * is a folder, it was imported there.
 */
export async function uploadDatabase(
  storage: ObjectStorage,
  copies: LocalCopies,
  { id, engine }: Pick<DatabaseDescriptionFile, 'id' | 'engine'>,
): Promise<void> {
  const file = importedDatabaseFile(id, engine);
  const description = databaseDescriptionFile(id);
  const text = await readText(storage, description);
  const there = databaseDescriptionSchema.safeParse(jsonIn(text ?? '')).data;
  // The first one stays: this import may have written other bytes for the same rows. Its time says that it is needed.
  if (text !== null && there && (await storage.version(file))?.bytes === there.content.bytes)
    return storage.write(description, text);
  if (storage.fileOf(file) !== null) return;
  await storage.upload(file, copies.pathOf(file));
  await storage.upload(description, copies.pathOf(description));
}
