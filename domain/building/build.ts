import { z } from 'zod';
import { keptReplySchema } from '../agent/turn-record.js';
import { capSchema } from '../budget/amount.js';
import { datasetNameSchema, itemIdSchema, type DatasetName, type ItemId } from '../ids.js';
import { modelConfigSchema } from '../models/model-settings.js';
import { describedDatabaseSchema, type DescribedDatabase } from '../stores/database.js';
import { parts, steps, type Part } from './item.js';

/** A seed of an item. */
const seedSchema = z.object({
  item: itemIdSchema,
  /** Of the database among those of the build, from 0. */
  database: z.int().nonnegative(),
  question: z.string().min(1),
  /** Where the seed comes from, and under which licence. Null where nobody has said. */
  source: z.string().nullable(),
  licence: z.string().nullable(),
});
export type Seed = Readonly<z.infer<typeof seedSchema>>;

/** What models are told, and the version that is recorded with everything that they make. */
const promptsSchema = z.object({
  version: z.string().min(1),
  instructions: z.record(z.enum(steps), z.string().trim().min(1).max(20_000)),
});
export type Prompts = Readonly<z.infer<typeof promptsSchema>>;

/** What a dataset is built from, and how. */
export const buildSchema = z.object({
  dataset: datasetNameSchema,
  /** Asked for every step. */
  model: modelConfigSchema,
  /** People who decide apart at each gate. */
  annotators: z.union([z.literal(1), z.literal(2)]),
  /** After which an item is parked if nobody decides; null for no limit. */
  gateTimeoutMs: z.int().positive().nullable(),
  /** For all model calls. */
  budget: capSchema,
  /** What models are told from now on. */
  prompts: promptsSchema,
  /** Whether no model is asked until somebody lets it go on. */
  paused: z.boolean(),
  /** The file or folder that the seeds were read from. */
  seedsFrom: z.string(),
  databases: z.array(describedDatabaseSchema).min(1).readonly(),
  seeds: z.array(seedSchema).min(1).readonly(),
});
export type Build = Readonly<z.infer<typeof buildSchema>>;

/** Seeds from which a dataset is built. Each waiting item takes about 20 KB of the server's database. */
export const mostSeeds = 20_000;

/** The result of a query as people and models see it. */
const shownResultSchema = z.object({
  sql: z.string(),
  status: z.enum(['rows', 'empty', 'error']),
  /** Of the whole result, as far as they were counted. */
  rows: z.int().nonnegative(),
  /** Lines of CSV under a header, or the error. */
  shown: z.string(),
});
export type ShownResult = Readonly<z.infer<typeof shownResultSchema>>;

/** A version of a part of an item. */
export const itemTextSchema = z.object({
  version: z.int().positive(),
  part: z.enum(parts),
  text: z.string(),
  /** Of rows, the tables that they fill; of queries, their results. Empty otherwise. */
  results: z.array(shownResultSchema).readonly(),
});
export type ItemText = Readonly<z.infer<typeof itemTextSchema>>;

/** A reply of a model, stored before anything is made of it. */
export const callRecordSchema = keptReplySchema.extend({
  call: z.int().positive(),
  step: z.enum(steps),
});
export type CallRecord = Readonly<z.infer<typeof callRecordSchema>>;

/** Texts of an item by their parts: those that count. */
export type Texts = Readonly<Partial<Record<Part, ItemText>>>;

/** @throws Error for an item that the build does not have */
export function seedOfItem(
  { dataset, seeds, databases }: Build,
  item: ItemId,
): { readonly seed: Seed; readonly database: DescribedDatabase } {
  const seed = seeds.find((each) => each.item === item);
  const database = seed && databases[seed.database];
  if (seed !== undefined && database !== undefined) return { seed, database };
  throw new Error(`dataset ${dataset} has no item ${item}, or no database for it`);
}

/** Paths in the storage. */
const datasetsFolder = 'datasets';
export const buildFile = (dataset: DatasetName): string =>
  `${datasetsFolder}/${dataset}/build.json`;
export const itemsFolder = (dataset: DatasetName): string => `${datasetsFolder}/${dataset}/items`;
export const itemFile = (dataset: DatasetName, item: ItemId): string =>
  `${itemsFolder(dataset)}/${item}/item.json`;
export const itemTextFile = (dataset: DatasetName, item: ItemId, version: number): string =>
  `${itemsFolder(dataset)}/${item}/texts/${numbered(version)}.json`;
export const callsFolder = (dataset: DatasetName, item: ItemId): string =>
  `${itemsFolder(dataset)}/${item}/calls`;
export const callFile = (dataset: DatasetName, item: ItemId, call: number): string =>
  `${callsFolder(dataset, item)}/${numbered(call)}.json`;

const numbered = (number: number): string => String(number).padStart(4, '0');
