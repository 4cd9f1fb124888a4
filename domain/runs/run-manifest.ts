import { z } from 'zod';
import { amountSchema } from '../budget/amount.js';
import {
  evaluationNameSchema,
  runIdSchema,
  sampleName,
  isSameSample,
  personSchema,
  sampleKeySchema,
  type StoreName,
  type RunId,
  type SampleKey,
} from '../ids.js';
import type { DatasetItem } from '../scoring/dataset-item.js';
import { scales } from '../scoring/verdict.js';
import { databaseKey, databaseRefSchema, type DatabaseRef } from '../stores/database.js';
import { storeManifestSchema } from '../stores/store-manifest.js';
import { noProbes, probesSchema } from './probes.js';
import { runConfigSchema } from './run-config.js';
import { runTotalsSchema } from './run-totals.js';

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

/** Paths relative to TURNWISE_HOME. */
export const runFolder = (run: RunId): string => `runs/${run}`;

/** A folder beside `runs/`: what is in it outlives the folder of a run that is being removed. */
export const removalsFolder = 'removals';

/** Says that the removal of a run has begun. It is removed last. */
export const removalFile = (run: RunId): string => `${removalsFolder}/${run}.json`;

export const manifestFile = 'manifest.json';
/** The snapshot of the dataset. */
export const datasetFile = 'dataset.jsonl';
export const resultsFile = 'results.jsonl';
export const scoresFile = 'scores.jsonl';
export const reportFile = 'report.html';
/** What readers have noted about the run and its questions (`NoteLine`). */
export const notesFile = 'notes.jsonl';
/** What people have ruled on its results, and who has signed it off (`RulingLine`). */
export const rulingsFile = 'rulings.jsonl';
/** What models have billed (`Bills`). Only a run with a budget has it. */
export const billsFile = 'bills.json';

export const trajectoryFile = (key: SampleKey): string => `trajectories/${sampleName(key)}.jsonl`;

/** How an answer over a database came about (`AnswerTrace`). */
export const traceFile = (key: SampleKey): string => `traces/${sampleName(key)}.json`;

/** The panels of a review (`ReviewedPanel`). @param review - 16 hexadecimal digits */
export const panelsFile = (review: string): string => `reviews/${review}/panels.jsonl`;

const turnName = (turn: number): string => String(turn).padStart(3, '0');

/** One asking of a sample: each retry asks once more. Without a number, the last one. From 1. */
export type AskedSample = SampleKey & { readonly asking?: number | undefined };

/** Everything that is stored of questions before they end: a folder for each sample, by its name. */
export const turnsRoot = 'turns';

/** Where the records of an asking are. A retry goes on with the turns of an earlier asking, unless it asks anew. */
export interface Asking {
  readonly asking: number;
  /** The asking that began with the first turn. */
  readonly turnsOf: number;
}

export const firstAsking: Asking = { asking: 1, turnsOf: 1 };

/** `anew`: it begins with the first turn. */
export const askingSchema = z.object({ anew: z.boolean() });

/** Begins an asking after the first (`askingSchema`), and is created once: the last of them is the current one. */
export const askingFile = (key: SampleKey, asking: number): string =>
  `${turnsRoot}/${sampleName(key)}/asking-${asking}.json`;

/** The folder of the turns of an asking, and of those that go on with them. What is in it is written once. */
export const turnsFolder = (key: SampleKey, { turnsOf } = firstAsking): string =>
  `${turnsRoot}/${sampleName(key)}${turnsOf === 1 ? '' : `/asking-${turnsOf}`}`;

/** What a method reads from the store before the first model call. */
export const contextFile = (key: SampleKey, asking = firstAsking): string =>
  `${turnsFolder(key, asking)}/context.json`;

/** The model's reply in a turn, and the action that was read from it. */
export const replyFile = (key: SampleKey, turn: number, asking = firstAsking): string =>
  `${turnsFolder(key, asking)}/${turnName(turn)}.reply.json`;

/** The observation of a turn. */
export const observationFile = (key: SampleKey, turn: number, asking = firstAsking): string =>
  `${turnsFolder(key, asking)}/${turnName(turn)}.observation.json`;

/** The results of the SQL of an answer and of its gold (`Execution`). */
export const executionFile = (key: SampleKey, asking = firstAsking): string =>
  `${turnsFolder(key, asking)}/execution.json`;

/** What the user's own scorer concluded about an answer (`Verdict`). */
export const ownVerdictFile = (key: SampleKey, asking = firstAsking): string =>
  `${turnsFolder(key, asking)}/verdict.json`;

/** What a batch has answered to a call (`BatchedAnswer`). */
export const batchedFile = (key: SampleKey, name: string, asking = firstAsking): string =>
  `${turnsFolder(key, asking)}/${name}.batched.json`;

/** The code of a plugin, as one module. */
export const pluginFile = (sha256: string): string => `plugins/${sha256}.mjs`;

/** The folder of the judges' replies about a question's answer. */
export const judgesFolder = (key: SampleKey, asking = firstAsking): string =>
  `${turnsFolder(key, asking)}/judges`;

/** A file in a folder of judges' replies. */
export const judgeReplyName = ({ request }: { readonly request: string }): string =>
  `${request}.judge.json`;

/** The end of an asking, written once. `results.jsonl` and `scores.jsonl` are collected from these files. */
export const endFile = (key: SampleKey, asking = firstAsking): string =>
  `${turnsFolder(key, asking)}/end${asking.asking === asking.turnsOf ? '' : `-${asking.asking}`}.json`;

/**
 * The records of a folder of turns in one object, once the question has ended: gzip of a line for each,
 * `{name, record}`. A question that was reopened has one more for each end.
 */
export const packFile = (number: number): string => `pack${number}.jsonl.gz`;

export const isPack = (name: string): boolean => /^pack\d+\.jsonl\.gz$/.test(name);

/** Whether an object in a folder of turns is packed when the question ends. */
export const isPackable = (name: string): boolean =>
  /^(\d+\.(reply|observation)|[\da-f-]+\.batched|context|execution|verdict)\.json$/.test(name);

/** By whom each version of the scores is (`scoreVersionsSchema`). */
export const scoreVersionsFile = 'scores/versions.json';

/** The file of a version of the scores that is not the latest one. */
export const earlierScoresFile = (version: number): string =>
  `scores/${String(version).padStart(4, '0')}.jsonl`;

export const noteTextSchema = z.string().trim().max(2_000, 'must have at most 2000 characters');

export const noteTagSchema = z
  .string()
  .trim()
  .regex(
    /^[^\p{Cc}\p{Zl}\p{Zp},]{1,50}$/u,
    'must be 1 to 50 characters on one line, without a comma',
  );

/** How `runs note --remove` names a note. */
const noteIdSchema = z.string().regex(/^[0-9a-f]{8}$/, 'must be 8 hexadecimal digits');

const tagsSchema = z.array(noteTagSchema).max(20).readonly();

/** A note, as a reader writes it. */
export const writtenNoteSchema = z
  .strictObject({
    by: personSchema,
    /** Null where it is on the run itself. */
    about: sampleKeySchema.nullable(),
    text: noteTextSchema.default(''),
    tags: tagsSchema.transform((tags) => [...new Set(tags)]).default([]),
  })
  .refine(({ text, tags }) => text !== '' || tags.length > 0, 'needs a text or a tag');

const line = { id: noteIdSchema, at: z.iso.datetime(), by: personSchema };
const noteSchema = z.object({
  ...line,
  kind: z.literal('note'),
  about: sampleKeySchema.nullable(),
  text: noteTextSchema,
  tags: tagsSchema,
});
export type Note = Readonly<z.infer<typeof noteSchema>>;

/** A line of the file of a run's notes. Lines are only added: a removal is one, too. */
export const noteLineSchema = z.discriminatedUnion('kind', [
  noteSchema,
  z.object({ ...line, kind: z.literal('removal'), note: noteIdSchema }),
]);
export type NoteLine = Readonly<z.infer<typeof noteLineSchema>>;

/** The notes that stand, the oldest first. */
export function notesIn(lines: readonly NoteLine[]): readonly Note[] {
  const removed = new Set(lines.flatMap((each) => (each.kind === 'removal' ? [each.note] : [])));
  return lines
    .filter((each) => each.kind === 'note')
    .filter(({ id }) => !removed.has(id))
    .sort((a, b) => a.at.localeCompare(b.at));
}

/** Those on a question, or on the run itself. */
export const notesAbout = (notes: readonly Note[], key: SampleKey | null): readonly Note[] =>
  notes.filter(({ about }) => (about && key ? isSameSample(about, key) : about === key));

/** Each once, in the order of the notes. */
export const tagsOf = (notes: readonly Note[]): readonly string[] => [
  ...new Set(notes.flatMap(({ tags }) => tags)),
];

/** `label-error, good example: the gold has a typo`. */
export const noteText = ({ tags, text }: Note): string =>
  [tags.join(', '), text].filter((part) => part !== '').join(': ');
