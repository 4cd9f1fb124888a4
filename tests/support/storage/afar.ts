import { join } from 'node:path';
import { createFolderStorage } from '../../../storage/folder-storage.js';
import { createImportedDatabases, type StorePlace } from '../../../storage/stores/store-place.js';
import { copiesFolder, createLocalCopies } from '../../../storage/stores/local-copies.js';
import type { ObjectStorage } from '../../../storage/objects.js';
import { createStoreGenerations } from '../../../storage/stores/store-generations.js';

/** A folder whose objects are not files for those who use them, as in an object store. */
export const afar = (folder: string): ObjectStorage => ({
  ...createFolderStorage(folder),
  fileOf: () => null,
});

/** The stores in a storage as the machine with this home sees them. */
export function placeIn(storage: ObjectStorage, home: string): StorePlace {
  const importFolder = storage.fileOf('') ?? join(home, copiesFolder);
  const copies = createLocalCopies(storage, importFolder);
  return {
    ...{ storage, copies, importFolder },
    generations: createStoreGenerations(storage, copies),
    imported: createImportedDatabases(storage, copies),
  };
}
