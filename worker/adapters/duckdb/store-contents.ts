import { access, readFile } from 'node:fs/promises';
import type {
  StoreContentsPort,
  StoreUsersPort,
} from '../../../activities/ports/store-contents.js';
import { jsonIn } from '../../../domain/formats/json.js';
import type { StoreName } from '../../../domain/ids.js';
import { bm25Schema } from '../../../domain/stores/bm25.js';
import {
  databaseFile,
  draftFile,
  filesFolder,
  generationFile,
  generationsFolder,
  keyOfFile,
  papersFolder,
  sha256OfFile,
  storeFolder,
} from '../../../domain/stores/store-manifest.js';
import { accessingFiles, nullIfAbsent } from '../../../storage/atomic-file.js';
import { pdfsOfIngestions } from '../../../storage/stores/ingestion-files.js';
import type { ObjectStorage } from '../../../storage/objects.js';
import type { StoreGenerations } from '../../../storage/stores/store-generations.js';
import { nullIfLost } from '../files/stores.js';

/** What stores hold, for checks and for removal. */
export function createStoreContents({
  storage,
  generations,
  users,
}: {
  readonly storage: ObjectStorage;
  readonly generations: StoreGenerations;
  readonly users: StoreUsersPort;
}): StoreContentsPort {
  const inStore = (store: StoreName, path: string): string => `${storeFolder(store)}/${path}`;
  const accessing = <T>(store: StoreName, work: () => Promise<T>): Promise<T> =>
    accessingFiles(`store ${store} of ${storage.location} cannot be accessed`, work);
  const namesIn = async (store: StoreName, folder: string): Promise<readonly string[]> =>
    (await storage.list(inStore(store, folder))).map((name) => `${folder}/${name}`);

  return {
    tables: async (store) => {
      const manifest = await generations.holding({ store });
      const path = await generations.file(manifest, 'tables').catch(nullIfLost);
      if (path === null || !(await exists(path))) {
        return { unreadable: `${databaseFile(store)} is missing` };
      }
      // Loaded only here: DuckDB takes long to load.
      const { openStoredTables } = await import('./stored-tables.js');
      return openStoredTables(path);
    },
    bm25: async (manifest) => {
      if (manifest.files.bm25 === undefined) return null;
      const path = await generations.file(manifest, 'bm25').catch(nullIfLost);
      const text = path && (await readFile(path, 'utf8').catch(nullIfAbsent));
      return bm25Schema.safeParse(jsonIn(text ?? '')).data ?? null;
    },
    kept: async (store, also = []) => {
      const [current, ...older] = await generations.all(store);
      if (current === undefined) return [];
      if (older.length === 0) return [current];
      const used = new Set([...(await users.fingerprints(store)), ...also]);
      return [current, ...older.filter(({ fingerprint }) => used.has(fingerprint))];
    },
    superseded: (store, kept) =>
      accessing(store, async () => {
        const manifests = new Set(kept.map(generationFile));
        const files = new Set(
          kept.flatMap(({ files: { tables, bm25 } }) =>
            [tables, bm25].map((file) => `${filesFolder}/${file?.sha256}/`),
          ),
        );
        const all = await namesIn(store, generationsFolder);
        return {
          manifests: all.filter((name) => !manifests.has(name)),
          files: (await namesIn(store, filesFolder)).filter((name) => !files.has(name)),
        };
      }),
    unusedFiles: (store, kept, over) =>
      accessing(store, async () => {
        const held = new Set([
          ...kept.flatMap(({ papers }) => papers.map(({ sha256 }) => sha256)),
          ...(await pdfsOfIngestions(storage, store, over)),
        ]);
        const names = await storage.list(inStore(store, papersFolder));
        const unused = names.filter((name) => !held.has(sha256OfFile(name)));
        const draft = await storage.version(inStore(store, draftFile));
        return [
          ...(draft === null ? [] : [draftFile]),
          ...unused.map((name) => `${papersFolder}/${name}`),
        ];
      }),
    removeFile: (store, name) =>
      accessing(store, () =>
        name.endsWith('/')
          ? storage.removeFolder(inStore(store, name.slice(0, -1)))
          : storage.remove(inStore(store, name)),
      ),
    withdraw: async (store) => {
      const [current] = await generations.all(store).catch(noneIfDamaged);
      // The key stays known until the removal is complete.
      if (current !== undefined) await generations.writeDraft(current);
      const names = await accessing(store, () => namesIn(store, generationsFolder));
      await accessing(store, async () => {
        for (const name of names) await storage.remove(inStore(store, name));
      });
      generations.forget(store);
      // The name of a manifest says the key, even if the manifest is damaged.
      const key = names.map(keyOfFile).find((each) => each !== null);
      if (key !== undefined) return { name: store, key };
      return generations.draft(store).catch(nullIfLost);
    },
    remove: (store) =>
      accessing(store, async () => {
        const names = await storage.list(storeFolder(store));
        for (const name of names.filter((each) => each.endsWith('/'))) {
          await storage.removeFolder(inStore(store, name.slice(0, -1)));
        }
        for (const name of names.filter((each) => !each.endsWith('/') && each !== draftFile)) {
          await storage.remove(inStore(store, name));
        }
        await storage.removeFolder(storeFolder(store));
        return names.length > 0;
      }),
  };
}

function noneIfDamaged(error: unknown): readonly never[] {
  nullIfLost(error);
  return [];
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
