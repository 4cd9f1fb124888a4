import { z } from 'zod';

/** The modes in which a database is questioned, by growing interaction. They are the names of the methods. */
export const databaseModes = ['no-interaction', 'sequential', 'iterative'] as const;
export type DatabaseMode = (typeof databaseModes)[number];

/**
 * How a query of the model ended. `rows` is valid; `rows` and `empty` are executable. `refused`: not run, because it is no
 * query or one too many.
 */
const queryStatuses = ['rows', 'empty', 'error', 'timeout', 'refused'] as const;
export type QueryStatus = (typeof queryStatuses)[number];

/** A query that the model wrote, and its result. */
export const tracedQuerySchema = z.object({
  sql: z.string(),
  /** From 1. The queries of a sequential answer are all of round 1. */
  round: z.int().min(1),
  /** The index of the query that this one repairs. Repairs are not counted as generated queries. */
  repairOf: z.int().nonnegative().nullable(),
  status: z.enum(queryStatuses),
  /** Rows of the result; with `moreRows`, a lower bound. */
  rows: z.int().nonnegative(),
  /** Whether the result has more rows than `rows`, which were not counted. */
  moreRows: z.boolean().default(false),
  /** Rows that the model was shown. */
  shownRows: z.int().nonnegative().default(0),
  /** The message that the model was shown; null without an error. */
  error: z.string().nullable(),
  /** Null if the query was not run. */
  ms: z.number().nonnegative().nullable().default(null),
  /** The result as the model was shown it: CSV, then a line that states what was cut. */
  shown: z.string().default(''),
});
export type TracedQuery = Readonly<z.infer<typeof tracedQuerySchema>>;

/** A text with its length in words, separated by white space, and in tokens of `o200k_base`. */
const measuredTextSchema = z.object({
  text: z.string(),
  words: z.int().nonnegative(),
  tokens: z.int().nonnegative(),
});
export type MeasuredText = Readonly<z.infer<typeof measuredTextSchema>>;

/** `traces/UUID.json` in the run's folder: how one answer came about. Every table is computed from traces, with nothing run again. */
export const answerTraceSchema = z.object({
  uuid: z.string(),
  epoch: z.int().min(1),
  method: z.enum(databaseModes),
  model: z.string(),
  /** `cap`: the turns were used up before the agent declared that it has enough. */
  stoppedBy: z.enum(['agent', 'cap']),
  tokenizer: z.literal('o200k_base'),
  /** The plan; in mode `iterative` the needs of all rounds, a line each. Empty in mode `no-interaction`. */
  plan: measuredTextSchema,
  /** In the order in which they ran. */
  queries: z.array(tracedQuerySchema).readonly(),
  /** Empty text if the question has no answer. */
  answer: measuredTextSchema,
});
export type AnswerTrace = Readonly<z.infer<typeof answerTraceSchema>>;
