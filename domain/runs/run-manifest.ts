import { z } from 'zod';
import { amountSchema } from '../budget/amount.js';
import { evaluationNameSchema, runIdSchema, type StoreName } from '../ids.js';
import { noProbes, probesSchema } from './probes.js';
import { runConfigSchema } from './run-config.js';
import { runTotalsSchema } from './run-totals.js';
import type { DatasetItem } from '../scoring/dataset-item.js';
import { databaseKey, databaseRefSchema, type DatabaseRef } from '../stores/database.js';
import { scales } from '../scoring/scale.js';
import { storeManifestSchema } from '../stores/store-manifest.js';

const runStoreSchema = storeManifestSchema
  .pick({ name: true, fingerprint: true, collections: true, database: true })
  .extend({
    /** The id of a paper that it holds, for the examples of prompts. */
    paper: z.string().optional(),
  });
/** The store of a run: its content, and what prompts say about it. */
export type RunStore = Readonly<z.infer<typeof runStoreSchema>>;

/** `manifest.json`: everything needed to repeat a run. Only `status`, `endedAt`, `totals`, `spent`, `probes` and the configuration's limits change after its start. */
export const runManifestSchema = z.object({
  run: runIdSchema,
  status: z.enum(['running', 'done', 'cancelled']),
  dataset: z.object({
    path: z.string(),
    /** SHA-256 of the snapshot in the run's folder, in hex. */
    fingerprint: z.string(),
    items: z.int().positive(),
    /** Questions that were left out because their database cannot be read. Absent if none was. */
    skipped: z.int().positive().optional(),
  }),
  /** Null for a run whose questions name their databases. */
  store: runStoreSchema.nullable(),
  /** The databases of the questions, by `databaseKey`. Their ids are fingerprints of their content. */
  databases: z.record(z.string(), databaseRefSchema).default({}),
  config: runConfigSchema,
  versions: z.object({
    turnwise: z.string(),
    prompts: z.string(),
    judgePrompts: z.string(),
    schema: z.string(),
    gitRevision: z.string().nullable(),
  }),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  totals: runTotalsSchema.nullable(),
  /** What it took of its budget until it ended last, calls whose reply was lost included. Absent before. */
  spent: amountSchema.optional(),
  /** The calls by which each start of the run found out whether its models can be asked. They count in its budget. */
  probes: probesSchema.default(noProbes),
  /** Which questions of the dataset were chosen: the first ones (`--limit`), or some by a seed (`--sample`). Absent for all. */
  part: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('first'), count: z.int().positive() }),
      z.object({ kind: z.literal('sample'), count: z.int().positive(), seed: z.int() }),
    ])
    .optional(),
  /** The files of programs that score, by their paths, with the SHA-256 of each. Absent without such a program. */
  scorerFiles: z.record(z.string(), z.string()).optional(),
  /** The words of the command line that started it, the program's name left out. Absent if it was started otherwise. */
  command: z.array(z.string()).readonly().optional(),
  /** The mean score of each scale, at the run's end. Absent before, and for a scale without scores. */
  meanScores: z.partialRecord(z.enum(scales), z.number()).optional(),
  /** US dollars of the answers and of the judges, at the run's end; null if the price of a call is unknown. Absent before. */
  costUsd: z.number().nonnegative().nullable().optional(),
  /** The evaluation that it is a cell of, and what the file of the evaluation calls its dataset and its model. */
  evaluation: z
    .object({ name: evaluationNameSchema, dataset: z.string(), model: z.string() })
    .optional(),
  /** The run whose turns it took over. Absent unless the run is a fork. */
  forkedFrom: runIdSchema.optional(),
  /** The first turn that a fork asks again, in all questions. Absent if it took over whole conversations. */
  fromTurn: z.int().min(1).optional(),
});
export type RunManifest = Readonly<z.infer<typeof runManifestSchema>>;

/** The contents of a store that a run reads, by their fingerprints. */
export const fingerprintsOf = (
  { databases, store }: Pick<RunManifest, 'databases' | 'store'>,
  name: StoreName,
): readonly string[] => [
  ...(store?.name === name ? [store.fingerprint] : []),
  ...Object.values(databases).flatMap((ref) =>
    ref.kind === 'store' && ref.name === name ? (ref.fingerprint ?? []) : [],
  ),
];

/** The database of a question: its own, or the run's store. Null if it has neither. */
export function databaseOf(
  { databases, store }: Pick<RunManifest, 'databases' | 'store'>,
  { database }: Pick<DatasetItem, 'database'>,
): DatabaseRef | null {
  if (database !== undefined) return databases[databaseKey(database)] ?? null;
  return store && { kind: 'store', name: store.name, fingerprint: store.fingerprint };
}
