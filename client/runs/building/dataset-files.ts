import {
  buildFile,
  itemFile,
  type Build,
  type ItemText,
  type Texts,
} from '../../../domain/building/build.js';
import { latest, parts, type Item, type Version } from '../../../domain/building/item.js';
import type { DatasetName, ItemId } from '../../../domain/ids.js';
import { UserError } from '../../../domain/user-error.js';
import { listBuilds, readBuild, readItem, readItemText } from '../../../storage/building-files.js';
import { openStorePlace, type StoreSettings } from '../../../storage/stores/store-place.js';
import { inWords } from '../stores/store-files.js';

/** A dataset that is built, as its files have it. */
export interface BuiltDataset {
  readonly build: Build;
  /** Those that have begun, in the order of their seeds. */
  readonly items: readonly Item[];
}

/** Files that are read at once. */
const batchSize = 200;

/** Reads the files of datasets. */
interface BuildReader {
  readonly settings: StoreSettings;
  readonly build: (dataset: DatasetName) => Promise<Build | null>;
  readonly item: (dataset: DatasetName, item: ItemId) => Promise<Item | null>;
}

/** Reads each file as often as it is asked for. */
export function buildReader(settings: StoreSettings): BuildReader {
  const { storage } = openStorePlace(settings);
  return {
    settings,
    build: (dataset) => inWords(() => readBuild(storage, dataset)),
    item: (dataset, item) => inWords(() => readItem(storage, dataset, item)),
  };
}

/** Reads a file again only when it has changed: for programs that list thousands of items time and again. */
export function keptBuildReader(settings: StoreSettings): BuildReader {
  const { storage } = openStorePlace(settings);
  const kept = new Map<string, { readonly version: string; readonly value: unknown }>();
  // A path always has the same type.
  const read = async <T>(path: string, make: () => Promise<T | null>): Promise<T | null> => {
    const stored = await inWords(() => storage.version(path));
    const known = kept.get(path);
    if (stored !== null && known?.version === stored.version) return known.value as T;
    // It may have been written again meanwhile: then the next look reads it again.
    const value = stored === null ? null : await make();
    if (stored === null || value === null) kept.delete(path);
    else kept.set(path, { version: stored.version, value });
    return value;
  };
  const reader = buildReader(settings);
  return {
    settings,
    build: (dataset) => read(buildFile(dataset), () => reader.build(dataset)),
    item: (dataset, item) => read(itemFile(dataset, item), () => reader.item(dataset, item)),
  };
}

/** The names of all datasets that are or were built. */
export const builtDatasets = (settings: StoreSettings): Promise<readonly DatasetName[]> =>
  inWords(() => listBuilds(openStorePlace(settings).storage));

/** @throws UserError if there is no such dataset */
export const openBuild = (settings: StoreSettings, dataset: DatasetName): Promise<Build> =>
  buildWith(buildReader(settings), dataset);

async function buildWith(reader: BuildReader, dataset: DatasetName): Promise<Build> {
  const build = await reader.build(dataset);
  if (build !== null) return build;
  const others = await builtDatasets(reader.settings);
  throw new UserError(
    `there is no dataset ${dataset}: ${others.length === 0 ? '`turnwise dataset build` makes one' : `there are ${others.join(', ')}`}`,
  );
}

/** @throws UserError if there is no such dataset */
export async function readBuiltDataset(
  settings: StoreSettings,
  dataset: DatasetName,
  reader = buildReader(settings),
): Promise<BuiltDataset> {
  const build = await buildWith(reader, dataset);
  const items: Item[] = [];
  for (let at = 0; at < build.seeds.length; at += batchSize) {
    const some = await Promise.all(
      build.seeds.slice(at, at + batchSize).map(({ item }) => reader.item(dataset, item)),
    );
    items.push(...some.filter((item) => item !== null));
  }
  return { build, items };
}

/** @throws UserError if the dataset has no such item, or it has not begun */
export async function readBuiltItem(
  settings: StoreSettings,
  build: Build,
  id: ItemId,
): Promise<Item> {
  const { dataset } = build;
  if (build.seeds.every(({ item }) => item !== id)) {
    throw new UserError(
      `dataset ${dataset} has no item ${id}: \`turnwise dataset gates ${dataset}\` lists those that wait`,
    );
  }
  const { storage } = openStorePlace(settings);
  const item = await inWords(() => readItem(storage, dataset, id));
  if (item !== null) return item;
  throw new UserError(`item ${id} of dataset ${dataset} is being drafted: it waits for nobody yet`);
}

export async function readVersion(
  settings: StoreSettings,
  dataset: DatasetName,
  item: ItemId,
  { version, part, preview, by }: Version,
): Promise<ItemText> {
  // The label that a person has chosen is no text.
  if (part === 'category' && by.kind === 'person') {
    return { version, part, text: preview, results: [] };
  }
  const { storage } = openStorePlace(settings);
  const text = await inWords(() => readItemText(storage, dataset, item, version));
  if (text !== null) return text;
  throw new UserError(
    `version ${version} of item ${item} of dataset ${dataset} is missing or damaged`,
  );
}

/** The texts that count. */
export async function readTexts(
  settings: StoreSettings,
  dataset: DatasetName,
  item: Item,
): Promise<Texts> {
  const versions = parts.flatMap((part) => latest(item, part) ?? []);
  const texts = await Promise.all(
    versions.map((version) => readVersion(settings, dataset, item.id, version)),
  );
  return Object.fromEntries(texts.map((text) => [text.part, text]));
}
