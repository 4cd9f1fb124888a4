import {
  buildFile,
  buildSchema,
  callFile,
  callRecordSchema,
  callsFolder,
  itemFile,
  itemsFolder,
  itemTextFile,
  itemTextSchema,
  type Build,
  type CallRecord,
  type ItemText,
} from '../domain/building/build.js';
import { itemSchema, type Item } from '../domain/building/item.js';
import { datasetNameSchema, type DatasetName, type ItemId } from '../domain/ids.js';
import { accessingFiles, jsonText } from './atomic-file.js';
import type { ObjectStorage } from './objects.js';
import { keepPaidRecord, readPaidRecord } from './paid-records.js';

const writeJson = (storage: ObjectStorage, path: string, value: unknown): Promise<void> =>
  accessingFiles(`${path} cannot be written`, () => storage.write(path, jsonText(value)));

export const readBuild = (storage: ObjectStorage, dataset: DatasetName): Promise<Build | null> =>
  readPaidRecord(storage, buildFile(dataset), buildSchema);

export const writeBuild = (storage: ObjectStorage, build: Build): Promise<void> =>
  writeJson(storage, buildFile(build.dataset), build);

/** The datasets that are or were built. */
export async function listBuilds(storage: ObjectStorage): Promise<readonly DatasetName[]> {
  const names = await accessingFiles('datasets cannot be listed', () => storage.list('datasets'));
  return names
    .flatMap((name) => datasetNameSchema.safeParse(name.replace(/\/$/, '')).data ?? [])
    .sort();
}

export const readItem = (
  storage: ObjectStorage,
  dataset: DatasetName,
  item: ItemId,
): Promise<Item | null> => readPaidRecord(storage, itemFile(dataset, item), itemSchema);

/** Keeps what is stored if that is as new or newer: an attempt that was given up may write late. */
export async function writeItem(
  storage: ObjectStorage,
  dataset: DatasetName,
  item: Item,
): Promise<void> {
  const stored = await readItem(storage, dataset, item.id);
  if (stored !== null && stored.changes >= item.changes) return;
  await writeJson(storage, itemFile(dataset, item.id), item);
}

export const readItemText = (
  storage: ObjectStorage,
  dataset: DatasetName,
  item: ItemId,
  version: number,
): Promise<ItemText | null> =>
  readPaidRecord(storage, itemTextFile(dataset, item, version), itemTextSchema);

export const writeItemText = (
  storage: ObjectStorage,
  dataset: DatasetName,
  item: ItemId,
  text: ItemText,
): Promise<void> => writeJson(storage, itemTextFile(dataset, item, text.version), text);

export const readCall = (
  storage: ObjectStorage,
  dataset: DatasetName,
  item: ItemId,
  call: number,
): Promise<CallRecord | null> =>
  readPaidRecord(storage, callFile(dataset, item, call), callRecordSchema);

/** Keeps the first record of a call that is whole, and resolves to what is stored. */
export const saveCall = (
  storage: ObjectStorage,
  dataset: DatasetName,
  item: ItemId,
  record: CallRecord,
): Promise<CallRecord> =>
  keepPaidRecord(storage, callFile(dataset, item, record.call), record, callRecordSchema);

/** All calls of a dataset, of one item after the other. */
export async function* callsOf(
  storage: ObjectStorage,
  dataset: DatasetName,
): AsyncGenerator<CallRecord> {
  const list = (folder: string): Promise<readonly string[]> =>
    accessingFiles(`${folder} cannot be listed`, () => storage.list(folder));
  for (const name of await list(itemsFolder(dataset))) {
    const item = name.replace(/\/$/, '') as ItemId; // It is the name of a folder.
    const folder = callsFolder(dataset, item);
    const records = await Promise.all(
      (await list(folder))
        .filter((file) => file.endsWith('.json'))
        .map((file) => readPaidRecord(storage, `${folder}/${file}`, callRecordSchema)),
    );
    for (const record of records) if (record !== null) yield record;
  }
}
