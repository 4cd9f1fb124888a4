import { z } from 'zod';
import { storeNameSchema } from '../ids.js';
import { fileContentSchema } from '../file-content.js';
import { csvSettingsSchema } from './csv-table.js';

/** What runs the SQL of a database, and so its dialect. */
export const engineSchema = z.enum(['duckdb', 'sqlite']);
export type Engine = z.infer<typeof engineSchema>;

/** @defaultValue SQLite for a file of SQLite, DuckDB for everything else */
const engine = engineSchema.optional();

/** Where the rows of a question's database come from. Paths are relative to the dataset file. */
export const databaseSourceSchema = z.union(
  [
    /** The tables of a store. */
    z.strictObject({ name: storeNameSchema }),
    /** A `.duckdb`, `.sqlite` or `.db` file, a file of a table (`tableFile`) or a folder of them, or a `.sql` script. */
    z.strictObject({ path: z.string().min(1), csv: csvSettingsSchema.optional(), engine }),
    /** Scripts: CREATE TABLE statements, then INSERT statements. */
    z.strictObject({ ddl: z.string().min(1), rows: z.string().default(''), engine }),
  ],
  { error: 'is none of {"name"}, {"path"} and {"ddl", "rows"}' },
);
export type DatabaseSource = Readonly<z.infer<typeof databaseSourceSchema>>;

/** Whether a source says which columns may be NULL. Files of tables do not. */
export const declaresNulls = (source: DatabaseSource): boolean =>
  'ddl' in source || ('path' in source && /\.(?:duckdb|sqlite3?|db|sql)$/i.test(source.path));

/** The name of a file with one table: its first group is the table's. */
export const tableFile = /^(.+?)\.(?:(?:csv|tsv|json|jsonl|ndjson)(?:\.gz)?|parquet)$/i;

/** Identifies a source within a dataset: equal sources have equal keys. */
export const databaseKey = (source: DatabaseSource): string => JSON.stringify(source);

/** Made from the bytes of the source, its descriptions and the version of the import: 32 hexadecimal digits. */
export const databaseIdSchema = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .brand<'DatabaseId'>();
export type DatabaseId = z.infer<typeof databaseIdSchema>;

/** A column, with the type that DuckDB has for it, or that SQLite was told, which may be none. */
const databaseColumnSchema = z.object({
  name: z.string(),
  type: z.string(),
  nullable: z.boolean(),
  /** What the source says about the column; empty if nothing. */
  description: z.string().default(''),
  /** How its values were read, in words, where that is not plain. */
  note: z.string().optional(),
});
export type DatabaseColumn = Readonly<z.infer<typeof databaseColumnSchema>>;

export const databaseTableSchema = z.object({
  name: z.string(),
  description: z.string().default(''),
  /** Null for the tables of a store, which are not counted. */
  rows: z.int().nonnegative().nullable(),
  /** How it was read, in words, where that is not plain. */
  note: z.string().optional(),
  columns: z.array(databaseColumnSchema).min(1).readonly(),
  /** Column names; empty without a primary key. */
  primaryKey: z.array(z.string()).readonly(),
  /** Further keys: the columns of each UNIQUE. Absent without any, as in what earlier versions have imported. */
  unique: z.array(z.array(z.string()).readonly()).readonly().optional(),
  /** The expressions of CHECK in DuckDB. SQLite's are in its own schema. */
  checks: z.array(z.string()).readonly().optional(),
  foreignKeys: z
    .array(
      z.object({
        columns: z.array(z.string()).readonly(),
        table: z.string(),
        /** Empty if the source names no columns: the primary key of `table`. */
        references: z.array(z.string()).readonly(),
      }),
    )
    .readonly(),
});
export type DatabaseTable = Readonly<z.infer<typeof databaseTableSchema>>;

/** A database as models and reports see it: a store, or an imported database. */
export const describedDatabaseSchema = z.object({
  /** As prompts and reports call it, such as the file's name without its ending. */
  name: z.string().min(1),
  /** In schema order. */
  tables: z.array(databaseTableSchema).readonly(),
  /** What of the source is not described, such as `view v` or `table other.t`. */
  leftOut: z.array(z.string()).readonly().optional(),
  /** @defaultValue duckdb */
  engine,
});
export type DescribedDatabase = Readonly<z.infer<typeof describedDatabaseSchema>>;

/** The cells of a table that a store makes searchable. */
const searchedTableSchema = z.object({
  table: z.string(),
  /** The columns whose values name a row, joined by commas: the primary key, or else DuckDB's `rowid`. */
  key: z.array(z.string()).min(1).readonly(),
  /** Columns of texts. */
  columns: z.array(z.string()).min(1).readonly(),
});
export type SearchedTable = Readonly<z.infer<typeof searchedTableSchema>>;

const identifiedDatabaseSchema = describedDatabaseSchema.extend({
  id: databaseIdSchema,
  /** In schema order. Tables without texts are absent. */
  searched: z.array(searchedTableSchema).readonly(),
});

/** The description of an imported database, `databases/<id>/database.json`. It is written last. */
export const databaseDescriptionSchema = identifiedDatabaseSchema.extend({
  /** What its file holds. */
  content: fileContentSchema,
});
export type DatabaseDescriptionFile = Readonly<z.infer<typeof databaseDescriptionSchema>>;

/** The database that a store holds as its tables: a copy of an imported one. */
export const storedDatabaseSchema = identifiedDatabaseSchema.extend({
  /** Of the bytes of the copy, in hex. */
  sha256: z.string().length(64),
});
export type StoredDatabase = Readonly<z.infer<typeof storedDatabaseSchema>>;

/** Paths in the storage. */
export const databaseFolder = (id: DatabaseId): string => `databases/${id}`;
export const databaseFileName = (engine: Engine = 'duckdb'): string => `data.${engine}`;
export const importedDatabaseFile = (id: DatabaseId, engine?: Engine): string =>
  `${databaseFolder(id)}/${databaseFileName(engine)}`;
/** The engine of a file with a name that turnwise has given. */
export const engineOfFile = (path: string): Engine =>
  path.endsWith(`/${databaseFileName('sqlite')}`) ? 'sqlite' : 'duckdb';
export const databaseDescriptionFile = (id: DatabaseId): string =>
  `${databaseFolder(id)}/database.json`;

/** What a SQL statement reads: the tables of a store, or an imported database. */
export const databaseRefSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('store'),
    name: storeNameSchema,
    /** Of the generation. @defaultValue the one in use */
    fingerprint: z.string().min(1).optional(),
  }),
  z.object({ kind: z.literal('imported'), id: databaseIdSchema }),
]);
export type DatabaseRef = Readonly<z.infer<typeof databaseRefSchema>>;
