import { z } from 'zod';
import type { Cell, TableResult } from '../../agent/observations/tool-outcome.js';
import { databaseRefSchema } from '../../stores/database.js';

/** Rows of a result that are stored for scoring. A query process also bounds the characters of a result. */
export const storedRows = 50_000;

// JSON, whose lists and objects nothing changes here.
const cellSchema: z.ZodType<Cell> = z.json();

const tableSchema = z.object({
  columns: z
    .array(z.object({ name: z.string(), type: z.string(), rowTypes: z.string().optional() }))
    .readonly(),
  rows: z.array(z.array(cellSchema).readonly()).readonly(),
});

/** What became of a statement. */
const executedSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('rows'),
    result: tableSchema.extend({ more: z.literal(false) }),
  }),
  /** The result has more rows than these, and is not stored. `seen`: some of the different rows among its first. */
  z.object({
    kind: z.literal('too-large'),
    rows: z.int().nonnegative(),
    seen: tableSchema.optional(),
  }),
  /** `failure` is a class of errors as DuckDB has them, or `refused`, `timeout`, `memory`, `crash`. */
  z.object({ kind: z.literal('failed'), failure: z.string(), message: z.string() }),
]);
export type Executed = Readonly<z.infer<typeof executedSchema>>;
export type TooLarge = Extract<Executed, { readonly kind: 'too-large' }>;

/** LiveSQLBench reads no more rows of a result. */
export const firstRows = 10_000;
const [mostSeen, mostSeenCharacters] = [1_000, 200_000];

/** @param result - what was read up to the limit */
export function tooLarge({ columns, rows }: TableResult): TooLarge {
  const seen = new Map<string, number>();
  let characters = 0;
  for (const [at, row] of rows.slice(0, firstRows).entries()) {
    const key = JSON.stringify(row);
    if (seen.has(key)) continue;
    characters += key.length;
    if (seen.size === mostSeen || characters > mostSeenCharacters) break;
    seen.set(key, at);
  }
  const kept = [...seen.values()];
  const some = {
    columns: columns.map(({ rowTypes, ...column }) => ({
      ...column,
      ...(rowTypes !== undefined && { rowTypes: kept.map((at) => rowTypes[at] ?? '').join('') }),
    })),
    rows: kept.map((at) => rows[at] ?? []),
  };
  return { kind: 'too-large', rows: rows.length, seen: some };
}

/** `turns/<sample>/execution.json`: what the statements returned by which an answer is scored under any rule. */
export const executionSchema = z.object({
  statements: z.array(z.object({ sql: z.string(), executed: executedSchema })).readonly(),
});
export type Execution = Readonly<z.infer<typeof executionSchema>>;

/** An answer by SQL. Copies of its database are the same for the same seed. */
const matchSchema = z.object({
  seed: z.string(),
  options: z.record(z.string(), z.json()),
  answer: z.string(),
});
export type Match = Readonly<z.infer<typeof matchSchema>>;

/** What copies of the database say of a match: on one, which `inserts` fill, the results differ; or on none of so many. */
const separationSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('luck'),
    reason: z.string(),
    inserts: z.array(z.string()).readonly(),
  }),
  z.object({ kind: z.literal('alike'), copies: z.int().nonnegative() }),
]);
export type Separation = Readonly<z.infer<typeof separationSchema>>;

/** A line of the standard input of the program that executes statements for the command line. */
export const executionTaskSchema = z.object({
  /** Identifies the answer. */
  index: z.int().nonnegative(),
  database: databaseRefSchema,
  statements: z.array(z.string()).readonly(),
  timeoutMs: z.int().positive(),
  /** Whether it was luck that this answer matched is to be found, too. */
  match: matchSchema.optional(),
});
export type ExecutionTask = Readonly<z.infer<typeof executionTaskSchema>>;

/** A line of its standard output. `failure` says why the database cannot be read, `ms` how long all statements took together. */
export const executionDoneSchema = z.union([
  z.object({
    index: z.int(),
    execution: executionSchema,
    ms: z.number(),
    separation: separationSchema.optional(),
  }),
  z.object({ index: z.int(), failure: z.string() }),
]);
export type ExecutionDone = Readonly<z.infer<typeof executionDoneSchema>>;
