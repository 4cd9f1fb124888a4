import { z } from 'zod';
import { databaseDescriptionSchema, type DatabaseSource, type DatabaseTable } from './database.js';

/** Raise it when the same source would give other tables, types or descriptions: it is then imported again. */
export const databaseImportVersion = 2;

/** What the import is asked to read. The paths are relative to the working directory. */
const requestedSourceSchema = z.object({
  /** `databaseKey` of the source as the dataset names it. */
  key: z.string(),
  source: z.union([
    z.strictObject({ path: z.string() }),
    z.strictObject({ ddl: z.string(), rows: z.string() }),
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

/** What files beside a database say about its tables and columns. */
export const databaseNotesSchema = z.strictObject({
  tables: z.record(
    z.string(),
    z.strictObject({
      description: z.string().default(''),
      columns: z.record(z.string(), z.string()).default({}),
    }),
  ),
});
export type DatabaseNotes = Readonly<z.infer<typeof databaseNotesSchema>>;

/** Adds descriptions to the tables and columns of the same name in any case; later notes win. */
export function withNotes(
  tables: readonly DatabaseTable[],
  notes: readonly DatabaseNotes[],
): readonly DatabaseTable[] {
  return tables.map((table) => {
    const about = notes.flatMap((each) => valuesOf(each.tables, table.name));
    return {
      ...table,
      description: lastText(about.map(({ description }) => description)) ?? table.description,
      columns: table.columns.map((column) => ({
        ...column,
        description:
          lastText(about.flatMap(({ columns }) => valuesOf(columns, column.name))) ??
          column.description,
      })),
    };
  });
}

/** The tables and columns, such as `loans.due`, that notes name and the database does not have. */
export const unknownIn = (
  { tables: noted }: DatabaseNotes,
  tables: readonly DatabaseTable[],
): readonly string[] =>
  Object.entries(noted).flatMap(([name, { columns }]) => {
    const table = tables.find((each) => sameName(each.name, name));
    if (table === undefined) return [name];
    return Object.keys(columns)
      .filter((column) => !table.columns.some((each) => sameName(each.name, column)))
      .map((column) => `${name}.${column}`);
  });

const valuesOf = <T>(record: Readonly<Record<string, T>>, name: string): readonly T[] =>
  Object.entries(record).flatMap(([key, value]) => (sameName(key, name) ? [value] : []));

const sameName = (one: string, other: string): boolean =>
  one.trim().toLowerCase() === other.trim().toLowerCase();

const lastText = (texts: readonly string[]): string | undefined =>
  texts.findLast((text) => text.trim() !== '');

/** The columns of a CSV file of BIRD's `database_description`, whose name is the table's. */
const birdColumns = ['column_name', 'column_description', 'value_description'] as const;

/**
 * Reads a table's file in BIRD's `database_description`: a row for each column of the table. Null if it has no column
 * `original_column_name`.
 */
export function birdNotes(
  table: string,
  [header = [], ...rows]: readonly (readonly string[])[],
): DatabaseNotes | null {
  const at = new Map(header.map((name, index) => [name.trim(), index]));
  const original = at.get('original_column_name');
  if (original === undefined) return null;
  const columns = rows.map((cells): readonly [string, string] => {
    const name = (cells[original] ?? '').trim();
    const parts = birdColumns.map((column) => (cells[at.get(column) ?? -1] ?? '').trim());
    const said = parts.filter((part) => part !== '' && !sameName(part, name));
    return [name, [...new Set(said)].join('; ')];
  });
  return { tables: { [table]: { description: '', columns: Object.fromEntries(columns) } } };
}
