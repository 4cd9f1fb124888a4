import type { Amount } from '../../domain/budget/amount.js';
import { itemSchema, isClosed, type Item, type Part } from '../../domain/building/item.js';
import { scriptOf } from '../../domain/building/prompts.js';
import { preview } from '../../domain/formats/text.js';
import type { DatasetName, ItemId } from '../../domain/ids.js';
import { statementsOf } from '../../domain/formats/sql.js';
import { activity } from '../failures.js';
import type { BuildingFilesPort, ScratchPort } from '../ports/building.js';
import { PortFailure } from '../ports/port-failure.js';
import { previewLength, seedOf, type ItemRef } from './make-part.js';
import { tryRows } from './try-rows.js';

/** Items that are looked at by one activity. */
const batchSize = 100;

interface Files {
  readonly buildingFiles: BuildingFilesPort;
}

/** Some items of a dataset, and whether they are done with. */
export function createListSeeds({ buildingFiles }: Files): (input: {
  readonly dataset: DatasetName;
  readonly from: number;
}) => Promise<{
  readonly items: readonly { readonly item: ItemId; readonly closed: boolean }[];
  /** The first seed that was not looked at; null if the last one was. */
  readonly next: number | null;
}> {
  return activity(async ({ dataset, from }) => {
    const { seeds } = await buildingFiles.build(dataset);
    const end = Math.min(seeds.length, from + batchSize);
    const items = await Promise.all(
      seeds.slice(from, end).map(async ({ item }) => {
        const known = await buildingFiles.item(dataset, item);
        return { item, closed: known !== null && isClosed(known) };
      }),
    );
    return { items, next: end < seeds.length ? end : null };
  });
}

/** An item as an earlier workflow has left it; null if there was none. */
export function createOpenItem({
  buildingFiles,
}: Files): (input: {
  readonly dataset: DatasetName;
  readonly item: ItemId;
}) => Promise<Item | null> {
  return activity(({ dataset, item }) => buildingFiles.item(dataset, item));
}

/** Writes an item into its file, where people and commands read it. */
export function createKeepItem({
  buildingFiles,
}: Files): (input: { readonly dataset: DatasetName; readonly item: Item }) => Promise<void> {
  return activity(({ dataset, item }) => {
    const parsed = itemSchema.safeParse(item);
    if (parsed.success) return buildingFiles.saveItem(dataset, parsed.data);
    throw new PortFailure('InvalidInput', `item ${String(item.id)} is damaged`);
  });
}

interface EditRef extends ItemRef {
  readonly part: Part;
  readonly text: string;
  /** The number that the version is to have. */
  readonly version: number;
}

export type Edited =
  | { readonly kind: 'kept'; readonly preview: string }
  | { readonly kind: 'refused'; readonly message: string };

/** Stores what a person has written. Rows are tried out first. */
export function createKeepEdit({
  buildingFiles,
  scratch,
}: Files & { readonly scratch: ScratchPort }): (ref: EditRef) => Promise<Edited> {
  return activity(async (ref, { signal }) => {
    const { dataset, item, part, version } = ref;
    const text = part === 'rows' ? scriptOf(statementsOf(ref.text)) : ref.text.trim();
    const tried =
      part === 'rows'
        ? await tryRows(
            scratch,
            {
              database: seedOf(await buildingFiles.build(dataset), ref).database,
              ...{ rows: text, queries: '' },
            },
            signal,
          )
        : null;
    if (tried?.kind === 'fails') return { kind: 'refused', message: tried.message };
    const results = tried?.tables ?? [];
    await buildingFiles.saveText(dataset, item, { version, part, text, results });
    return { kind: 'kept', preview: preview(text, previewLength) };
  });
}

/** What all stored replies of a dataset amount to. */
export function createCountBuildSpent({
  buildingFiles,
}: Files): (input: { readonly dataset: DatasetName }) => Promise<Amount> {
  return activity(({ dataset }) => buildingFiles.spent(dataset));
}
