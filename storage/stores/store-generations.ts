import { mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { firstIssue, jsonIn } from '../../domain/formats/json.js';
import { storeNameSchema, type StoreName } from '../../domain/ids.js';
import type { FileContent } from '../../domain/file-content.js';
import {
  draftFile,
  generationFile,
  generationOfFile,
  generationsFolder,
  storeFile,
  storeFolder,
  storeManifestSchema,
  storesFolder,
  type StoreFile,
  type StoreManifest,
} from '../../domain/stores/store-manifest.js';
import { accessingFiles, jsonText } from '../atomic-file.js';
import { contentOfFile, type LocalCopies } from './local-copies.js';
import { readText, type ObjectStorage } from '../objects.js';
import { UnchangedFiles } from '../unchanged-files.js';

/** The contents of a store that are meant. */
export interface StoreContents {
  readonly store: StoreName;
  /** Of a generation. @defaultValue that of the one in use */
  readonly fingerprint?: string | undefined;
}

/** The generations of stores in a storage. Throws PortFailure where it cannot be read, and for a damaged manifest. */
export interface StoreGenerations {
  /** Of all stores, by name. An ingestion that has not finished yet has made none. */
  readonly stores: () => Promise<readonly StoreName[]>;
  /** From the newest on. */
  readonly all: (store: StoreName) => Promise<readonly StoreManifest[]>;
  /** The one in use; null if there is no such store. */
  readonly current: (store: StoreName) => Promise<StoreManifest | null>;
  /**
   * The generation that is meant. Without a fingerprint it is asked for anew; with one it is remembered until `forget`, since
   * contents never change. Throws PortFailure('StoreMissing') or PortFailure('StoreChanged') where there is none.
   */
  readonly holding: (contents: StoreContents) => Promise<StoreManifest>;
  /** Something of a generation was not there: it may have been replaced. */
  readonly forget: (store: StoreName) => void;
  /** Null if nothing is being built. */
  readonly draft: (store: StoreName) => Promise<StoreManifest | null>;
  readonly writeDraft: (draft: StoreManifest) => Promise<void>;
  /** Puts the draft into use. May be repeated. Throws PortFailure('IngestionLost') where another generation has its number. */
  readonly publish: (draft: StoreManifest) => Promise<void>;
  /** Takes a local file over, for a generation to come. */
  readonly add: (store: StoreName, file: StoreFile, path: string) => Promise<FileContent>;
  /** The path of a file of a generation. Throws PortFailure('StoreMissing') where it is lost; in a folder it may be missing. */
  readonly file: (manifest: StoreManifest, file: StoreFile) => Promise<string>;
  /** Whether all files of a generation are there, as far as their sizes tell. */
  readonly isWhole: (manifest: StoreManifest) => Promise<boolean>;
}

export function createStoreGenerations(
  storage: ObjectStorage,
  copies: LocalCopies,
): StoreGenerations {
  const { location } = storage;
  const parsed = new UnchangedFiles({
    // What has such a name never changes. Files are compared, since people can change them.
    versionOf: storage.fileOf('') === null ? () => Promise.resolve(unchanging) : storage.version,
  });
  const known = new Map<StoreName, Map<string, StoreManifest>>();
  const inStore = (store: StoreName, path: string): string => `${storeFolder(store)}/${path}`;

  const accessing = <T>(store: StoreName, work: () => Promise<T>): Promise<T> =>
    accessingFiles(`store ${store} of ${location} cannot be accessed`, work);

  async function readManifest(path: string): Promise<StoreManifest | null> {
    const text = await readText(storage, path);
    if (text === null) return null;
    const manifest = storeManifestSchema.safeParse(jsonIn(text));
    if (manifest.success) return manifest.data;
    throw new PortFailure(
      'StoreMissing',
      `${path} of ${location} is damaged (${firstIssue(manifest.error)}): delete it and ingest the papers again`,
    );
  }

  /** The paths of manifests, from the newest on. */
  async function paths(store: StoreName): Promise<readonly string[]> {
    const folder = inStore(store, generationsFolder);
    const names = await storage.list(folder);
    return names
      .flatMap((name) => {
        const generation = generationOfFile(name);
        return generation === null ? [] : [{ name, generation }];
      })
      .sort((a, b) => b.generation - a.generation || (a.name < b.name ? 1 : -1))
      .map(({ name }) => `${folder}/${name}`);
  }

  const readKnown = (path: string): Promise<StoreManifest | null> =>
    parsed.read(path, () => readManifest(path));

  const all: StoreGenerations['all'] = (store) =>
    accessing(store, async () => {
      const manifests = await Promise.all((await paths(store)).map(readKnown));
      return manifests.filter((manifest) => manifest !== null);
    });

  const current: StoreGenerations['current'] = (store) =>
    accessing(store, async () => {
      // One may be removed meanwhile.
      for (const path of await paths(store)) {
        const manifest = await readKnown(path);
        if (manifest !== null) return manifest;
      }
      return null;
    });

  function contentOf({ files, name }: StoreManifest, file: StoreFile): FileContent {
    const content = files[file];
    if (content !== undefined) return content;
    throw new PortFailure(
      'StoreMissing',
      `Store '${name}' has no ${file}: ingest its papers again.`,
    );
  }

  return {
    all,
    current,
    stores: async () => {
      const names = await accessingFiles(`${location} cannot be accessed`, () =>
        storage.list(storesFolder),
      );
      const stores = names.flatMap((name) => {
        const store = storeNameSchema.safeParse(name.replace(/\/$/, ''));
        return name.endsWith('/') && store.success ? [store.data] : [];
      });
      return stores.sort();
    },
    holding: async ({ store, fingerprint }) => {
      if (fingerprint === undefined) return (await current(store)) ?? missing(store);
      const held = known.get(store)?.get(fingerprint);
      if (held !== undefined) return held;
      const manifests = await all(store);
      const found = manifests.find((manifest) => manifest.fingerprint === fingerprint);
      if (found === undefined) return manifests.length === 0 ? missing(store) : changed(store);
      const ofStore = known.get(store) ?? new Map<string, StoreManifest>();
      known.set(store, ofStore.set(fingerprint, found));
      return found;
    },
    forget: (store) => {
      known.delete(store);
    },
    draft: (store) => accessing(store, () => readManifest(inStore(store, draftFile))),
    writeDraft: (draft) =>
      accessing(draft.name, () => storage.write(inStore(draft.name, draftFile), jsonText(draft))),
    publish: (draft) =>
      accessing(draft.name, async () => {
        const path = inStore(draft.name, generationFile(draft));
        if (!(await storage.create(path, jsonText(draft)))) {
          // From an attempt that was interrupted, or from somebody else.
          const published = await readManifest(path);
          if (JSON.stringify(published) !== JSON.stringify(draft)) {
            throw new PortFailure(
              'IngestionLost',
              `Generation ${draft.generation} of store ${draft.name} was built by another process meanwhile: ingest the PDFs again.`,
            );
          }
        }
        await storage.remove(inStore(draft.name, draftFile));
      }),
    add: (store, file, path) =>
      accessing(store, async () => {
        const content = await contentOfFile(path);
        const object = inStore(store, storeFile(store, file, content));
        const isInPlace = storage.fileOf(object) !== null;
        await storage.upload(object, path, { move: isInPlace });
        if (!isInPlace) {
          const copy = copies.pathOf(object);
          await mkdir(dirname(copy), { recursive: true });
          await rename(path, copy);
        }
        return content;
      }),
    file: (manifest, file) => {
      const content = contentOf(manifest, file);
      const { name } = manifest;
      return copies.file(inStore(name, storeFile(name, file, content)), content);
    },
    isWhole: (manifest) =>
      accessing(manifest.name, async () => {
        for (const file of ['tables', 'bm25'] as const) {
          const { name, files } = manifest;
          const content = files[file];
          if (content === undefined) return false;
          const object = await storage.version(inStore(name, storeFile(name, file, content)));
          if (object?.bytes !== content.bytes) return false;
        }
        return true;
      }),
  };
}

const unchanging = { version: 'unchanging', bytes: 0, storedAtMs: 0 };

function missing(store: StoreName): never {
  throw new PortFailure(
    'StoreMissing',
    `There is no store '${store}': \`turnwise store add PATH… --store ${store}\` makes it.`,
  );
}

function changed(store: StoreName): never {
  throw new PortFailure(
    'StoreChanged',
    `Store ${store} no longer has the contents that it had when the run began.`,
  );
}
