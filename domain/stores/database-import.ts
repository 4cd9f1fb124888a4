import { z } from 'zod';
import { csvSettingsSchema, type CsvSettings } from './csv-table.js';
import {
  databaseDescriptionSchema,
  engineSchema,
  type DatabaseSource,
  type DatabaseTable,
} from './database.js';

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

const columnNotesSchema = z.strictObject({
  description: z.string().default(''),
  /** Whether a store makes its texts searchable. @defaultValue by their words (`isSearched`) */
  search: z.boolean().optional(),
});
type ColumnNotes = Readonly<z.infer<typeof columnNotesSchema>>;

const namesSchema = z.union([z.string().transform((name) => [name]), z.array(z.string()).min(1)]);

/** What a file beside a database says about its tables and columns. A column may have its description alone. */
export const databaseNotesSchema = z.strictObject({
  tables: z.record(
    z.string(),
    z.strictObject({
      description: z.string().default(''),
      /** For sources that declare none, such as CSV files. */
      primary_key: namesSchema.optional(),
      /** How its CSV file is read. */
      csv: csvSettingsSchema.optional(),
      /** `table` or `table.column` by column. */
      foreign_keys: z.record(z.string(), z.string()).optional(),
      columns: z
        .record(
          z.string(),
          z.union([z.string().transform((description) => ({ description })), columnNotesSchema]),
        )
        .default({}),
    }),
  ),
});
export type DatabaseNotes = Readonly<z.output<typeof databaseNotesSchema>>;
type TableNotes = DatabaseNotes['tables'][string];

const foreignKeySchema = z.tuple([namesSchema, z.string(), namesSchema]);

/** The schema file of the reference system (docs/reference/hybrid-agent.md). It says itself which columns are searched. */
export const referenceSchemaSchema = z
  .object({
    database_schema: z.array(
      z.object({
        table: z.object({ table_name: z.string(), description: z.string().default('') }),
        columns: z.array(
          z.object({
            column_name: z.string(),
            column_description: z.string().default(''),
            encodable: z.string().optional(),
          }),
        ),
        primary_keys: z.array(z.string()).default([]),
        foreign_keys: z.array(foreignKeySchema).default([]),
      }),
    ),
  })
  .transform(({ database_schema }): DatabaseNotes => ({
    tables: Object.fromEntries(
      database_schema.map(({ table, columns, primary_keys, foreign_keys }) => [
        table.table_name,
        {
          description: table.description,
          ...(primary_keys.length > 0 && { primary_key: primary_keys }),
          foreign_keys: Object.fromEntries(
            foreign_keys.flatMap(([from, other, to]) =>
              from.length === 1 ? [[from[0] ?? '', `${other}.${to[0] ?? ''}`]] : [],
            ),
          ),
          columns: Object.fromEntries(
            columns.map(({ column_name, column_description, encodable }) => [
              column_name,
              { description: column_description, search: encodable === 'text' },
            ]),
          ),
        },
      ]),
    ),
  }));

/** Adds descriptions and keys to the tables and columns of the same name in any case; later notes win. */
export function withNotes(
  tables: readonly DatabaseTable[],
  notes: readonly DatabaseNotes[],
): readonly DatabaseTable[] {
  return tables.map((table) => {
    const about = notes.flatMap((each) => valuesOf(each.tables, table.name));
    const primaryKey = about.findLast((each) => each.primary_key !== undefined)?.primary_key;
    return {
      ...table,
      description: lastText(about.map(({ description }) => description)) ?? table.description,
      columns: table.columns.map((column) => ({
        ...column,
        description:
          lastText(columnNotes(about, column.name).map(({ description }) => description)) ??
          column.description,
      })),
      primaryKey: primaryKey?.map((name) => columnOf(table, name)) ?? table.primaryKey,
      foreignKeys: withForeignKeys(table, about),
    };
  });
}

function withForeignKeys(
  table: DatabaseTable,
  about: readonly TableNotes[],
): DatabaseTable['foreignKeys'] {
  const noted = about.flatMap(({ foreign_keys = {} }) =>
    Object.entries(foreign_keys).map(([column, target]) => ({
      columns: [columnOf(table, column)],
      ...targetOf(target),
    })),
  );
  const isNew = (key: (typeof noted)[number]): boolean =>
    !table.foreignKeys.some(({ columns }) => columns.join() === key.columns.join());
  return [...table.foreignKeys, ...noted.filter(isNew)];
}

/** `table` or `table.column`. */
function targetOf(target: string): Omit<DatabaseTable['foreignKeys'][number], 'columns'> {
  const dot = target.lastIndexOf('.');
  return dot === -1
    ? { table: target, references: [] }
    : { table: target.slice(0, dot), references: [target.slice(dot + 1)] };
}

/** What notes say on whether the texts of a column are searched; undefined where they say nothing. */
export const searchNoted = (
  notes: readonly DatabaseNotes[],
  table: string,
  column: string,
): boolean | undefined =>
  columnNotes(
    notes.flatMap((each) => valuesOf(each.tables, table)),
    column,
  ).findLast(({ search }) => search !== undefined)?.search;

/** How notes say that the CSV file of a table is read; later notes win. */
export const csvNoted = (notes: readonly DatabaseNotes[], table: string): CsvSettings =>
  Object.assign(
    {},
    ...notes.flatMap((each) => valuesOf(each.tables, table).map(({ csv }) => csv)),
  ) as CsvSettings;

const columnNotes = (about: readonly TableNotes[], column: string): readonly ColumnNotes[] =>
  about.flatMap(({ columns }) => valuesOf(columns, column));

/** As the database writes it. */
const columnOf = ({ columns }: DatabaseTable, name: string): string =>
  columns.find((each) => sameName(each.name, name))?.name ?? name;

/** The tables and columns, such as `loans.due`, that notes name and the database does not have. */
export const unknownIn = (
  { tables: noted }: DatabaseNotes,
  tables: readonly DatabaseTable[],
): readonly string[] =>
  Object.entries(noted).flatMap(([name, { columns, primary_key = [], foreign_keys = {} }]) => {
    const table = tables.find((each) => sameName(each.name, name));
    if (table === undefined) return [name];
    const named = [...Object.keys(columns), ...primary_key, ...Object.keys(foreign_keys)];
    const columnsMissing = [...new Set(named)]
      .filter((column) => !table.columns.some((each) => sameName(each.name, column)))
      .map((column) => `${name}.${column}`);
    const tablesMissing = Object.values(foreign_keys)
      .map((target) => targetOf(target).table)
      .filter((other) => !tables.some((each) => sameName(each.name, other)));
    return [...columnsMissing, ...tablesMissing];
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
  const columns = rows.map((cells): readonly [string, ColumnNotes] => {
    const name = (cells[original] ?? '').trim();
    const parts = birdColumns.map((column) => (cells[at.get(column) ?? -1] ?? '').trim());
    const said = parts.filter((part) => part !== '' && !sameName(part, name));
    return [name, { description: [...new Set(said)].join('; ') }];
  });
  return { tables: { [table]: { description: '', columns: Object.fromEntries(columns) } } };
}
