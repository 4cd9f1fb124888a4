import { PortFailure } from '../../activities/ports/port-failure.js';
import { jsonIn } from '../../domain/formats/json.js';
import {
  databaseDescriptionFile,
  databaseDescriptionSchema,
  importedDatabaseFile,
  type DatabaseDescriptionFile,
  type DatabaseId,
} from '../../domain/stores/database.js';
import { accessingFiles } from '../atomic-file.js';
import type { LocalCopies } from './local-copies.js';
import { readText, type ObjectStorage } from '../objects.js';
import { UnchangedFiles } from '../unchanged-files.js';

/** Of the descriptions. A large one takes 100 kB. */
const cachedBytes = 2 ** 24;

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
  const cache = new UnchangedFiles(cachedBytes, storage.version);

  const description: ImportedDatabases['description'] = (id) => {
    const path = databaseDescriptionFile(id);
    return accessingFiles(`${path} of ${storage.location} cannot be read`, () =>
      cache.read(path, async () => {
        const text = await readText(storage, path);
        return databaseDescriptionSchema.safeParse(jsonIn(text ?? '')).data ?? null;
      }),
    );
  };

  return {
    description,
    file: async (id) => {
      const path = importedDatabaseFile(id);
      const inPlace = storage.fileOf(path);
      if (inPlace !== null) return inPlace;
      const described = await description(id);
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
  id: DatabaseId,
): Promise<void> {
  const file = importedDatabaseFile(id);
  if (storage.fileOf(file) !== null) return;
  const description = databaseDescriptionFile(id);
  const text = await readText(storage, description);
  const there = databaseDescriptionSchema.safeParse(jsonIn(text ?? '')).data;
  // The first one stays: another import of the same source may have written other bytes for the same rows.
  if (there && (await storage.version(file))?.bytes === there.content.bytes) return;
  await storage.upload(file, copies.pathOf(file));
  await storage.upload(description, copies.pathOf(description));
}
