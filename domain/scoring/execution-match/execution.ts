import { z } from 'zod';
import type { Cell } from '../../agent/observations/table-result.js';
import { databaseRefSchema } from '../../stores/database.js';

/** Rows of a result that are stored for scoring. A query process also bounds the characters of a result. */
export const storedRows = 50_000;

// JSON, whose lists and objects nothing changes here.
const cellSchema: z.ZodType<Cell> = z.json();

/** What became of a statement. */
export const executedSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('rows'),
    result: z.object({
      columns: z
        .array(z.object({ name: z.string(), type: z.string(), rowTypes: z.string().optional() }))
        .readonly(),
      rows: z.array(z.array(cellSchema).readonly()).readonly(),
      more: z.literal(false),
    }),
  }),
  /** The result has more rows than these, and is not stored. */
  z.object({ kind: z.literal('too-large'), rows: z.int().nonnegative() }),
  /** `failure` is a class of errors as DuckDB has them, or `refused`, `timeout`, `memory`, `crash`. */
  z.object({ kind: z.literal('failed'), failure: z.string(), message: z.string() }),
]);
export type Executed = Readonly<z.infer<typeof executedSchema>>;

/** `turns/<sample>/execution.json`: what the statements returned by which an answer is scored under any rule. */
export const executionSchema = z.object({
  statements: z.array(z.object({ sql: z.string(), executed: executedSchema })).readonly(),
});
export type Execution = Readonly<z.infer<typeof executionSchema>>;

/** A line of the standard input of the program that executes statements for the command line. */
export const executionTaskSchema = z.object({
  /** Identifies the answer. */
  index: z.int().nonnegative(),
  database: databaseRefSchema,
  statements: z.array(z.string()).readonly(),
  timeoutMs: z.int().positive(),
});
export type ExecutionTask = Readonly<z.infer<typeof executionTaskSchema>>;

/** A line of its standard output. `failure` says why the database cannot be read, `ms` how long all statements took together. */
export const executionDoneSchema = z.union([
  z.object({ index: z.int(), execution: executionSchema, ms: z.number() }),
  z.object({ index: z.int(), failure: z.string() }),
]);
export type ExecutionDone = Readonly<z.infer<typeof executionDoneSchema>>;
