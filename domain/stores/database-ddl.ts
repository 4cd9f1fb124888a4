import type { DatabaseTable, DescribedDatabase, Engine } from './database.js';
import { renderDatabaseSchema } from './database-schema.js';
import { paperTables, type TableSpec } from './paper-tables.js';
import type { StoreManifest } from './store-manifest.js';

const keywordList = `
all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create default deferrable
desc describe distinct do else end except false fetch for foreign from group having in initially intersect into lambda lateral
leading limit not null offset on only or order pivot pivot_longer pivot_wider placing primary qualify references returning
select show some summarize symmetric table then to trailing true union unique unpivot using variadic when where window with
anti asof at authorization binary by collation columns concurrently cross freeze full generated glob ilike inner is isnull join
left like map natural notnull outer overlaps positional right semi similar struct tablesample try_cast unpack verbose
between bigint bit boolean char character coalesce dec decimal exists extract float grouping grouping_id inout int integer
interval national nchar none nullif numeric out overlay position precision real row setof smallint substring time timestamp
treat trim values varchar xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot
xmlserialize xmltable`;

/** DuckDB's keywords that are not names everywhere: all but the `unreserved` ones of `duckdb_keywords()`. */
export const duckdbKeywords: ReadonlySet<string> = new Set(keywordList.trim().split(/\s+/));

/** SQLite's keywords that are names only in quotes, where DuckDB has them as names. */
export const sqliteKeywords: ReadonlySet<string> = new Set([
  ...['add', 'alter', 'autoincrement', 'commit', 'current_date', 'current_time', 'escape'],
  ...['current_timestamp', 'delete', 'drop', 'if', 'index', 'insert', 'nothing', 'raise', 'set'],
  ...['transaction', 'update'],
]);

const isKeyword = (name: string): boolean => duckdbKeywords.has(name) || sqliteKeywords.has(name);

/** A name as SQL must write it: in double quotes if it is a keyword, or has other characters than letters, digits and `_`. */
export function sqlName(name: string): string {
  const plain = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !isKeyword(name.toLowerCase());
  return plain ? name : `"${name.replaceAll('"', '""')}"`;
}

/** The text that names a row by its key columns, as collections hold it: their values, with commas between them. */
export const keyTextSql = (columns: readonly string[]): string =>
  `concat_ws(',', ${columns.map(sqlName).join(', ')})`;

const dialectNotes: Readonly<Record<Engine, string>> = {
  duckdb:
    '-- SQL dialect: DuckDB. "x" in double quotes is the name of a table or column, never a text; a text is written \'x\'.',
  sqlite:
    '-- SQL dialect: SQLite. A name is written "x" in double quotes if it has blanks or other signs; a text is written \'x\'.',
};

/** The schema of a database, as models read it: statements in the dialect of its engine, with descriptions as comments. */
export const renderDatabaseDdl = ({
  tables,
  engine = 'duckdb',
}: {
  readonly tables: readonly DatabaseTable[];
  readonly engine?: Engine | undefined;
}): string => [dialectNotes[engine], ...tables.map(createTable)].join('\n\n');

function createTable(table: DatabaseTable): string {
  const keys = [
    ...(table.primaryKey.length > 0 ? [`PRIMARY KEY (${names(table.primaryKey)})`] : []),
    ...table.foreignKeys.map(({ columns, table: other, references }) => {
      const target = references.length > 0 ? ` (${names(references)})` : '';
      return `FOREIGN KEY (${names(columns)}) REFERENCES ${sqlName(other)}${target}`;
    }),
  ];
  const parts = [
    ...table.columns.map(({ name, type, nullable, description }) => ({
      text: [
        ...[sqlName(name), type].filter((part) => part !== ''),
        ...(nullable || table.primaryKey.includes(name) ? [] : ['NOT NULL']),
      ].join(' '),
      comment: comment(description),
    })),
    ...keys.map((text) => ({ text, comment: '' })),
  ];
  const lines = parts.map(
    ({ text, comment }, index) =>
      `  ${text}${index < parts.length - 1 ? ',' : ''}${comment && ` ${comment}`}`,
  );
  const about = comment(table.description);
  return [
    ...(about === '' ? [] : [about]),
    `CREATE TABLE ${sqlName(table.name)} (`,
    ...lines,
    ');',
  ].join('\n');
}

const names = (list: readonly string[]): string => list.map(sqlName).join(', ');

/** On one line, since a line break would end the comment. */
const comment = (description: string): string => {
  const text = description.replaceAll(/\s+/g, ' ').trim();
  return text === '' ? '' : `-- ${text}`;
};

/** The schema of a store, as prompts show it. */
export const renderStoreSchema = ({
  name,
  database,
}: Pick<StoreManifest, 'name' | 'database'>): string =>
  database === undefined
    ? renderDatabaseSchema(name)
    : `The database schema for ${name} is as follows:\n${renderDatabaseDdl(database)}`;

/** The tables of a store. */
export const describeStore = ({
  name,
  database,
}: Pick<StoreManifest, 'name' | 'database'>): DescribedDatabase => ({
  name,
  tables: database?.tables ?? tablesOfPapers,
});

/** They are the same in every store. */
const tablesOfPapers: readonly DatabaseTable[] = Object.entries<TableSpec>(paperTables).map(
  ([table, spec]): DatabaseTable => ({
    name: table,
    description: spec.description,
    rows: null,
    columns: Object.entries(spec.columns).map(([column, { type, description }]) => ({
      name: column,
      type,
      nullable: column !== spec.primaryKey,
      description,
    })),
    primaryKey: [spec.primaryKey],
    foreignKeys: spec.foreignKeys.map(({ column, table: other, references }) => ({
      columns: [column],
      table: other,
      references: [references],
    })),
  }),
);
