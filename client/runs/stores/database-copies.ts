import type { RunId } from '../../../domain/ids.js';
import {
  databaseFolder,
  databaseIdSchema,
  type DatabaseId,
} from '../../../domain/stores/database.js';
import { openStorePlace, type StoreSettings } from '../../../storage/stores/store-place.js';
import { forUsers, listRuns } from '../run-folder.js';

/** The copy of a database that was imported. */
export interface DatabaseCopy {
  readonly id: DatabaseId;
  /** Null if it is damaged. */
  readonly name: string | null;
  readonly bytes: number;
  /** The runs over it, which need it to be continued or scored again. */
  readonly runs: readonly RunId[];
}

/** The copies of databases in the storage, the largest first. */
export async function listCopies(settings: StoreSettings): Promise<readonly DatabaseCopy[]> {
  const { storage, imported } = openStorePlace(settings);
  const runs = await listRuns(settings.TURNWISE_HOME, storage.location);
  const names = await forUsers(storage.location, storage.list('databases'));
  const copies = names.flatMap((name) => {
    const id = databaseIdSchema.safeParse(name.replace(/\/$/, '')).data;
    if (id === undefined) return [];
    const using = runs.filter(({ databases }) =>
      Object.values(databases).some((ref) => ref.kind === 'imported' && ref.id === id),
    );
    return [{ id, runs: using.map(({ run }) => run) }];
  });
  const found = await Promise.all(
    copies.map(async ({ id, runs }): Promise<DatabaseCopy> => {
      const described = await forUsers(storage.location, imported.description(id));
      const { bytes } = await forUsers(storage.location, storage.contents(databaseFolder(id)));
      return { id, name: described?.name ?? null, bytes, runs };
    }),
  );
  return found.toSorted((one, other) => other.bytes - one.bytes);
}

/** A copy that is needed again is made again of its source. */
export async function removeCopies(
  settings: StoreSettings,
  copies: readonly DatabaseCopy[],
): Promise<void> {
  const { storage } = openStorePlace(settings);
  for (const { id } of copies) {
    await forUsers(storage.location, storage.removeFolder(databaseFolder(id)));
  }
}
