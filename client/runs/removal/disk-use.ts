import { join } from 'node:path';
import type { FileContent } from '../../../domain/file-content.js';
import type { StoreName } from '../../../domain/ids.js';
import { fingerprintsOf, runFolder, type RunManifest } from '../../../domain/runs/run-manifest.js';
import type { Environment } from '../../../domain/settings.js';
import { sum } from '../../../domain/statistics/means.js';
import { databaseDescriptionFile, databaseIdSchema } from '../../../domain/stores/database.js';
import { storeFolder, type StoreManifest } from '../../../domain/stores/store-manifest.js';
import { leftoversIn, neededForMs, removeFiles } from '../../../storage/atomic-file.js';
import { cacheFolder } from '../../../storage/cached-replies.js';
import { enginesFolder } from '../../../storage/engines-folder.js';
import { createFolderStorage, draftsFolder } from '../../../storage/folder-storage.js';
import type { FolderContents, ObjectStorage } from '../../../storage/objects.js';
import { RunRemoval } from '../../../storage/runs/run-removal.js';
import { copiesFolder, unusedCopies } from '../../../storage/stores/local-copies.js';
import {
  openStorePlace,
  type StorePlace,
  type StoreSettings,
} from '../../../storage/stores/store-place.js';
import { forUsers, listRuns } from '../run-folder.js';
import { listStores } from '../stores/store-files.js';

/** Something that takes space. */
export interface DiskUse extends FolderContents {
  /** In words, such as `run first`. No two have the same. */
  readonly name: string;
  /** What needs it, in words. */
  readonly usedBy: readonly string[];
  /** What of it nobody needs. Null for nothing. */
  readonly unneeded: (FolderContents & { readonly remove: (free: FreeStore) => unknown }) | null;
}

/** Removes the older generations of a store that none of these runs is over. */
type FreeStore = (store: StoreName, runs: readonly RunManifest[]) => Promise<void>;

type DiskSettings = StoreSettings & Pick<Environment, 'TURNWISE_CACHE'>;

/** Folders of a home or of a storage, in words. */
const folders: Readonly<Record<string, string>> = {
  temporal: 'database of the embedded Temporal server',
  milvus: 'collections in Milvus Lite',
  logs: 'logs of services',
  datasets: 'datasets that are built',
};

const useOf = (
  name: string,
  contents: FolderContents,
  usedBy: readonly string[] = [],
  unneeded: DiskUse['unneeded'] = null,
): DiskUse => ({ name, ...contents, usedBy, unneeded });

/** Everything that takes space in the storage and in the home, the largest first. Throws UserError where it cannot be read. */
export async function diskUse(settings: DiskSettings): Promise<readonly DiskUse[]> {
  const place = openStorePlace(settings);
  const { storage } = place;
  const home = createFolderStorage(settings.TURNWISE_HOME);
  const roots = storage.location === home.location ? [home] : [storage, home];
  const runs = await listRuns(settings.TURNWISE_HOME, storage.location);
  const stores = await listStores(settings);
  const folderUse = async (name: string, root: ObjectStorage, folder: string) => [
    useOf(name, await root.contents(folder)),
  ];
  const measured = async (): Promise<readonly (readonly DiskUse[])[]> =>
    Promise.all([
      ...(await new RunRemoval(storage).names()).map((run) =>
        folderUse(`run ${run}`, storage, runFolder(run)),
      ),
      ...roots.flatMap((root) =>
        Object.entries(folders).map(([folder, name]) => folderUse(name, root, folder)),
      ),
      folderUse('engines', createFolderStorage(enginesFolder(settings.TURNWISE_CACHE)), ''),
      ...stores.map((store) => storeUses(place, store, runs)),
      databaseUses(place, stores, runs),
      fileUses(storage, home),
    ]);
  return (await forUsers(storage.location, measured()))
    .flat()
    .filter(({ objects }) => objects > 0)
    .toSorted((one, other) => other.bytes - one.bytes);
}

/** Removes what of these is needed by nobody still. Resolves to what was removed. */
export async function freeDisk(
  settings: DiskSettings,
  wanted: readonly DiskUse[],
  free: FreeStore,
): Promise<readonly DiskUse[]> {
  // Somebody may have begun to use something while the user was asked.
  const names = new Set(wanted.map(({ name }) => name));
  const removed = (await diskUse(settings)).filter(
    ({ name, unneeded }) => unneeded !== null && names.has(name),
  );
  for (const { unneeded } of removed) await unneeded?.remove(free);
  return removed;
}

const minus = (all: FolderContents, parts: readonly FolderContents[]): FolderContents => ({
  objects: all.objects - sum(parts.map(({ objects }) => objects)),
  bytes: all.bytes - sum(parts.map(({ bytes }) => bytes)),
});

const filesOf = (manifest: StoreManifest | null): readonly FileContent[] =>
  [manifest?.files.tables, manifest?.files.bm25].filter((file) => file !== undefined);

const namesOf = (
  runs: readonly RunManifest[],
  isOver: (run: RunManifest) => boolean,
): readonly string[] => runs.filter(isOver).map(({ run }) => `run ${run}`);

/** A store, and each of its older generations. */
async function storeUses(
  { storage, generations }: StorePlace,
  current: StoreManifest,
  runs: readonly RunManifest[],
): Promise<readonly DiskUse[]> {
  const { name: store } = current;
  const runsOver = ({ fingerprint }: StoreManifest): readonly string[] =>
    namesOf(runs, (run) => fingerprintsOf(run, store).includes(fingerprint));
  const [, ...older] = await generations.all(store);
  // An ingestion that is under way may need anything.
  const draft = await generations.draft(store).catch(() => null);
  // Equal contents are read from the newest generation, and equal files are there once.
  const contents = new Set([current.fingerprint]);
  const files = new Set([current, draft].flatMap(filesOf).map(({ sha256 }) => sha256));
  const uses = older.map((old) => {
    const own = filesOf(old).filter(({ sha256 }) => !files.has(sha256));
    const usedBy = contents.has(old.fingerprint) ? [] : runsOver(old);
    contents.add(old.fingerprint);
    for (const { sha256 } of own) files.add(sha256);
    const size = { objects: own.length + 1, bytes: sum(own.map(({ bytes }) => bytes)) };
    const isNeeded = usedBy.length > 0 || draft !== null;
    const unneeded = { ...size, remove: (free: FreeStore) => free(store, runs) };
    const name = `store ${store}, generation ${old.generation}`;
    return useOf(name, size, usedBy, isNeeded ? null : unneeded);
  });
  const rest = minus(await storage.contents(storeFolder(store)), uses);
  return [useOf(`store ${store}`, rest, runsOver(current)), ...uses];
}

/** The copies of databases. One that is needed again is made again of its source. */
async function databaseUses(
  { storage, imported }: StorePlace,
  stores: readonly StoreManifest[],
  runs: readonly RunManifest[],
): Promise<readonly DiskUse[]> {
  const names = (await storage.list('databases')).map((name) => name.replace(/\/$/, ''));
  const uses = names.map(async (folder) => {
    const id = databaseIdSchema.safeParse(folder).data;
    const path = `databases/${folder}`;
    const size = await storage.contents(path);
    const described = id && (await imported.description(id));
    const file = id && (await storage.version(databaseDescriptionFile(id)));
    const usedAtMs = file?.storedAtMs ?? (await storage.storedAtMs(path)) ?? Infinity;
    const usedBy = [
      ...namesOf(runs, ({ databases }) =>
        Object.values(databases).some((ref) => ref.kind === 'imported' && ref.id === folder),
      ),
      ...stores.flatMap(({ name, database }) => (database?.id === folder ? [`store ${name}`] : [])),
    ];
    const isNeeded = usedBy.length > 0 || Date.now() - usedAtMs < neededForMs;
    const unneeded = { ...size, remove: () => storage.removeFolder(path) };
    const name = described ? `database ${described.name}` : 'damaged database';
    return useOf(`${name} (${folder})`, size, usedBy, isNeeded ? null : unneeded);
  });
  return Promise.all(uses);
}

/** What consists of files that are needed for a while. */
async function fileUses(storage: ObjectStorage, home: ObjectStorage): Promise<readonly DiskUse[]> {
  const copies = await home.contents(copiesFolder);
  const cache = cacheFolder(home.location);
  const drafts = storage.fileOf(draftsFolder);
  const [ofCache, ofCopies, ofDrafts] = [
    await leftoversIn(cache, 2),
    await unusedCopies(join(home.location, copiesFolder)),
    drafts === null ? [] : await leftoversIn(drafts, 0),
  ].map((files) => {
    const size = { objects: files.length, bytes: sum(files.map(({ bytes }) => bytes)) };
    return files.length === 0 ? null : { ...size, remove: () => removeFiles(files) };
  });
  const rest = minus(await createFolderStorage(cache).contents(''), [copies]);
  return [
    useOf('cache of replies and embeddings', rest, [], ofCache),
    useOf('local copies of objects', copies, [], ofCopies),
    useOf('drafts', await storage.contents(draftsFolder), [], ofDrafts),
  ];
}
