import { PortFailure } from '../../../activities/ports/port-failure.js';
import { methodNeeds, methodOf } from '../../../domain/agent/methods.js';
import { didYouMean } from '../../../domain/formats/did-you-mean.js';
import { firstIssue } from '../../../domain/formats/json.js';
import { storeNameSchema, type StoreName } from '../../../domain/ids.js';
import type { RunConfig } from '../../../domain/runs/run-config.js';
import type { Environment } from '../../../domain/settings.js';
import { textEmbedderOf, type StoreManifest } from '../../../domain/stores/store-manifest.js';
import { UserError } from '../../../domain/user-error.js';
import { openStorePlace, type StoreSettings } from '../../../storage/stores/store-place.js';

/** The manifest of a store. Throws UserError where there is no such store, or a damaged one. */
export async function openStore(settings: StoreSettings, name: string): Promise<StoreManifest> {
  const parsedName = storeNameSchema.safeParse(name);
  if (!parsedName.success) {
    throw new UserError(`'${name}' cannot name a store: it ${firstIssue(parsedName.error)}`);
  }
  const manifest = await readStore(settings, parsedName.data);
  if (manifest !== null) return manifest;
  const others = (await listStores(settings)).map((store) => store.name);
  throw new UserError(
    others.length === 0
      ? `there is no store '${name}', nor any other: \`turnwise store add PATH… --store ${name}\` makes it`
      : `there is no store '${name}'${didYouMean(name, others)}; there are: ${others.join(', ')}`,
  );
}

/**
 * The store that is meant: the one of that name, else the only one that holds what is read; null where there is none.
 * @throws UserError where several may be meant, or there is none of that name
 */
export async function meantStore(
  settings: StoreSettings,
  name: string | undefined,
  reads: 'papers' | 'stored-database' | 'any' | 'nothing' = 'any',
): Promise<StoreManifest | null> {
  if (name !== undefined) return openStore(settings, name);
  if (reads === 'nothing') return null;
  const stores = (await listStores(settings)).filter(
    ({ database }) => reads === 'any' || (database === undefined) === (reads === 'papers'),
  );
  const [store = null, another] = stores;
  if (another === undefined) return store;
  const names = stores.map((each) => each.name).join(', ');
  throw new UserError(`which store is meant? There are ${names}: name one`);
}

/** `meantStore` of a command that needs one. */
export async function theStore(
  settings: StoreSettings,
  name: string | undefined,
): Promise<StoreManifest> {
  const store = await meantStore(settings, name);
  if (store !== null) return store;
  throw new UserError('there are no stores yet: `turnwise store add PATH… --store NAME` makes one');
}

/** `meantStore` of questions that are asked by a method. Null where it reads none, or where questions name their databases. */
export function storeOfQuestions(
  settings: StoreSettings,
  { store, database }: { readonly store?: string | undefined; readonly database?: unknown },
  config: Pick<RunConfig, 'method' | 'plugins'>,
): Promise<StoreManifest | null> {
  const { reads } = methodNeeds(methodOf(config));
  if (reads !== 'database') return meantStore(settings, store, reads);
  return meantStore(settings, store, database === undefined ? 'any' : 'nothing');
}

/** Throws UserError where a store of that name holds something else: a store holds papers or a database. */
export async function requireContents(
  settings: StoreSettings,
  store: StoreName,
  wanted: 'papers' | 'database',
): Promise<void> {
  const manifest = await readStore(settings, store);
  if (manifest === null || (manifest.database === undefined) === (wanted === 'papers')) return;
  const [held, other] = wanted === 'papers' ? ['a database', 'papers'] : ['papers', 'a database'];
  throw new UserError(`store ${store} holds ${held}: put ${other} into a store of another name`);
}

/** The embedder of a store's texts, which travels with each request: the one that is asked for, else the store's own, else that of the settings. */
export const embedderFor = async (
  settings: StoreSettings & Pick<Environment, 'TURNWISE_EMBEDDER'>,
  store: StoreName,
  asked?: string,
): Promise<string> => {
  const manifest = asked === undefined ? await readStore(settings, store) : null;
  return asked ?? (manifest && textEmbedderOf(manifest)) ?? settings.TURNWISE_EMBEDDER;
};

/** The manifests of all stores, by name. An ingestion that has not finished yet has made none. */
export async function listStores(settings: StoreSettings): Promise<readonly StoreManifest[]> {
  const { generations } = openStorePlace(settings);
  const names = await inWords(() => generations.stores());
  const manifests = await Promise.all(names.map((name) => readStore(settings, name)));
  return manifests.filter((manifest) => manifest !== null);
}

/** The manifest of the generation in use; null where there is no such store. Throws UserError where it is damaged. */
export const readStore = (
  settings: StoreSettings,
  store: StoreName,
): Promise<StoreManifest | null> =>
  inWords(() => openStorePlace(settings).generations.current(store));

/** What cannot be read, for people. */
export async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PortFailure) throw new UserError(error.message);
    throw error;
  }
}
