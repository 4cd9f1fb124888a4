import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstIssue, jsonIn } from '../../../domain/formats/json.js';
import { storeNameSchema, type StoreName } from '../../../domain/ids.js';
import {
  storeFolder,
  storeManifestFile,
  storeManifestSchema,
  storesFolder,
  type StoreManifest,
} from '../../../domain/stores/store-manifest.js';
import { UserError } from '../../../domain/user-error.js';
import { isAbsence } from '../../../storage/atomic-file.js';

/** The manifest of a store. Throws UserError where there is no such store, or a damaged one. */
export function openStore(home: string, name: string): StoreManifest {
  const parsedName = storeNameSchema.safeParse(name);
  if (!parsedName.success) {
    throw new UserError(`'${name}' cannot name a store: it ${firstIssue(parsedName.error)}`);
  }
  const manifest = readStore(home, parsedName.data);
  if (manifest !== null) return manifest;
  const others = listStores(home).map((store) => store.name);
  throw new UserError(
    others.length === 0
      ? `there is no store '${name}', nor any other: \`turnwise ingest PATH… --store ${name}\` makes it`
      : `there is no store '${name}'; there are: ${others.join(', ')}`,
  );
}

/** Throws UserError where a store of that name holds something else: a store holds papers or a database. */
export function requireContents(
  home: string,
  store: StoreName,
  wanted: 'papers' | 'database',
): void {
  const manifest = readStore(home, store);
  if (manifest === null || (manifest.database === undefined) === (wanted === 'papers')) return;
  const [held, other] = wanted === 'papers' ? ['a database', 'papers'] : ['papers', 'a database'];
  throw new UserError(`store ${store} holds ${held}: put ${other} into a store of another name`);
}

/** The manifests of all stores, by name. An ingestion that has not finished yet has made none. */
export function listStores(home: string): readonly StoreManifest[] {
  return foldersIn(join(home, storesFolder))
    .sort()
    .flatMap((name) => {
      const store = storeNameSchema.safeParse(name);
      const manifest = store.success ? readStore(home, store.data) : null;
      return manifest === null ? [] : [manifest];
    });
}

/** The manifest of a store; null where there is no such store. Throws UserError where it is damaged. */
export function readStore(home: string, store: StoreName): StoreManifest | null {
  const path = join(home, storeFolder(store), storeManifestFile);
  const text = unlessAbsent(() => readFileSync(path, 'utf8'));
  if (text === null) return null;
  const manifest = storeManifestSchema.safeParse(jsonIn(text));
  if (manifest.success) return manifest.data;
  throw new UserError(
    `${path} is damaged (${firstIssue(manifest.error)}): delete the file and ingest the store's papers again`,
  );
}

const foldersIn = (path: string): string[] => unlessAbsent(() => readdirSync(path)) ?? [];

/** Null where the file or folder does not exist. */
export function unlessAbsent<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
}
