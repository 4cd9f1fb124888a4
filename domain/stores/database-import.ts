import { z } from 'zod';
import { csvSettingsSchema } from './csv-table.js';
import { databaseDescriptionSchema, engineSchema, type DatabaseSource } from './database.js';

/** Raise it when the same source would give other tables, types or descriptions: it is then imported again. */
export const databaseImportVersion = 4;

/** What the import is asked to read. The paths are relative to the working directory. */
const requestedSourceSchema = z.object({
  /** `databaseKey` of the source as the dataset names it. */
  key: z.string(),
  source: z.union([
    z.strictObject({
      path: z.string(),
      csv: csvSettingsSchema.optional(),
      engine: engineSchema.optional(),
    }),
    z.strictObject({ ddl: z.string(), rows: z.string(), engine: engineSchema.optional() }),
  ]),
  /** Whether a DuckDB database with the tables of papers is refused. @defaultValue false */
  unlessPapers: z.boolean().optional(),
});
export type RequestedSource = Readonly<z.infer<typeof requestedSourceSchema>>;

/** The standard input of the import, as JSON. */
export const importRequestSchema = z.object({
  /** TURNWISE_HOME. */
  home: z.string(),
  sources: z.array(requestedSourceSchema),
});
export type ImportRequest = Readonly<z.infer<typeof importRequestSchema>>;

/** A line of the import's standard output: for each source `reading`, then one of the others. */
export const importLineSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('reading'), key: z.string() }),
  z.object({
    kind: z.literal('imported'),
    key: z.string(),
    description: databaseDescriptionSchema,
  }),
  /** `message`: one sentence that names the source. */
  z.object({
    kind: z.literal('refused'),
    key: z.string(),
    message: z.string(),
    /** Present where that is the reason. */
    holdsPapers: z.literal(true).optional(),
  }),
]);
export type ImportLine = z.infer<typeof importLineSchema>;

/** How a message names a source. */
export const sourceName = (source: DatabaseSource | RequestedSource['source']): string =>
  'path' in source
    ? source.path
    : 'name' in source
      ? `store ${source.name}`
      : 'the inline database';
