import type { StoredDatabase, DatabaseTable, DescribedDatabase, Engine } from './database.js';
import {
  paperTables,
  type ColumnSpec,
  type PaperRows,
  type PaperTableName,
  type TableSpec,
} from './paper-tables.js';
import type { Modality, StoreManifest } from './store-manifest.js';

/** A database, as the prompt describes it. */
export interface DatabaseDescription {
  readonly description: string;
  /** By name, in the order in which they are created and described. */
  readonly tables: Readonly<Record<string, DescribedTable>>;
}

/** A table of a store, or of any other database. */
export type DescribedTable = Omit<TableSpec, 'columns'> & {
  readonly columns: Readonly<Record<string, Omit<ColumnSpec, 'type'> & { readonly type: string }>>;
};

const paperDatabase: DatabaseDescription = {
  description: 'Research papers, each seen whole, by page, by section and by passage.',
  tables: paperTables,
};

/** The statements that create the tables. DuckDB runs the same text, comments included, that the model reads. */
export const createTableStatements = (): readonly string[] =>
  Object.entries(paperDatabase.tables).map(createTable);

/** The description of the database in the prompt, under the store's name. */
export function renderDatabaseSchema(
  name: string,
  { description, tables }: DatabaseDescription = paperDatabase,
): string {
  return [
    `The database schema for ${name} is as follows:`,
    `/* database ${name}: ${description}\n*/`,
    ...Object.entries(tables).map(
      ([table, spec]) =>
        `/* table ${table}: ${spec.description}\n*/\n${createTable([table, spec])}`,
    ),
  ].join('\n');
}

const createTable = ([name, table]: readonly [string, DescribedTable]): string =>
  `CREATE TABLE IF NOT EXISTS ${name} (\n${tableBody(table)}\n);`;

function tableBody({ columns, primaryKey, foreignKeys }: DescribedTable): string {
  const columnLines = Object.entries(columns).map(
    ([name, { type, description }]) => `\t${name} ${type}, -- ${description}`,
  );
  const keys = [
    `\tPRIMARY KEY (${primaryKey})`,
    ...foreignKeys.map(
      ({ column, table, references }) =>
        `\tFOREIGN KEY (${column}) REFERENCES ${table}(${references})`,
    ),
  ];
  return `${columnLines.join('\n')}\n${keys.join(',\n')}`;
}

export interface EncodablePair<Table extends string = PaperTableName> {
  readonly table: Table;
  readonly column: string;
  readonly modality: Modality;
}

type Encoded = Pick<ColumnSpec, 'encode'>;

/** Every (table, column) of a database whose cells are embedded, in schema order. */
export function encodablePairsOf<Table extends string>(
  tables: Readonly<Record<Table, { readonly columns: Readonly<Record<string, Encoded>> }>>,
): readonly EncodablePair<Table>[] {
  const names = Object.keys(tables) as Table[]; // the keys of a record
  return names.flatMap((table) =>
    Object.entries<Encoded>(tables[table].columns).flatMap(([column, { encode }]) =>
      encode === 'none' ? [] : [{ table, column, modality: encode }],
    ),
  );
}

export const encodablePairs: readonly EncodablePair[] = encodablePairsOf(paperTables);

/** Tables, as far as their cells are embedded. */
export type EncodedTables = Readonly<
  Record<
    string,
    {
      readonly description: string;
      readonly columns: Readonly<
        Record<string, Encoded & { readonly type: string; readonly description: string }>
      >;
    }
  >
>;

/** The tables of a store, as far as their cells are embedded. @param database - absent for a store of papers */
export const encodedTables = (database: StoredDatabase | undefined): EncodedTables =>
  database === undefined
    ? paperTables
    : Object.fromEntries(
        database.searched.map(({ table, columns }) => {
          const found = database.tables.find(({ name }) => name === table);
          const searched = found?.columns.filter(({ name }) => columns.includes(name)) ?? [];
          const encoded = searched.map(
            ({ name, type, description }) => [name, { type, description, encode: 'text' }] as const,
          );
          const { description = '' } = found ?? {};
          return [table, { description, columns: Object.fromEntries(encoded) }];
        }),
      );

/** A cell that becomes an entry of every collection of its modality. */
export interface CellPlace {
  readonly table: string;
  readonly column: string;
  readonly primaryKey: string;
  /** From 1; -1 when the row belongs to no page. */
  readonly pageNumber: number;
}

export interface EncodableCell extends CellPlace {
  /** Stripped, never empty. */
  readonly text: string;
}

/** A cell with the box of a picture. Its entries are made from that part of the page. */
interface EncodablePicture extends CellPlace {
  /** `[x, y, width, height]` in whole points from the top left of the page. */
  readonly box: readonly number[];
}

/** The text cells of one paper's rows, in schema order. Empty cells are left out. */
export const encodableCells = (rows: PaperRows): readonly EncodableCell[] =>
  cellsOfModality('text', rows).flatMap(({ value, ...place }) =>
    typeof value === 'string' && value.trim() !== '' ? [{ ...place, text: value.trim() }] : [],
  );

/** The pictures of one paper's rows, in schema order. A box that shows nothing is left out. */
export const encodablePictures = (rows: PaperRows): readonly EncodablePicture[] =>
  cellsOfModality('image', rows).flatMap(({ value, ...place }) => {
    const box = Array.isArray(value) ? value.map(Number) : [];
    const [, , width = 0, height = 0] = box;
    return place.pageNumber > 0 && width > 0 && height > 0 ? [{ ...place, box }] : [];
  });

function cellsOfModality(
  wanted: Modality,
  rows: PaperRows,
): readonly (CellPlace & { readonly value: unknown })[] {
  const pageNumbers = new Map(rows.pages.map((page) => [page.page_id, page.page_number]));
  return encodablePairs
    .filter(({ modality }) => modality === wanted)
    .flatMap(({ table, column }) => {
      const { primaryKey }: TableSpec = paperTables[table];
      return rows[table].flatMap((row: Readonly<Record<string, unknown>>) => {
        const key = row[primaryKey];
        if (typeof key !== 'string') return [];
        const page = row['ref_page_id'] ?? row['page_id'];
        const pageNumber = (typeof page === 'string' && pageNumbers.get(page)) || -1;
        return [{ table, column, primaryKey: key, pageNumber, value: row[column] }];
      });
    });
}

/**
 * The most word pieces of a part, as `wordPieces` estimates them. Small embedders read 256 of theirs: of 2,201 parts of
 * pages of 28 papers, 98 in 100 were within that by the tokenizer of BERT, and the longest had 290.
 */
const partLimit = 200;

/** A part of a cell that gets a vector of its own. A search result names the cell. */
interface CellPart {
  readonly cell: EncodableCell;
  readonly text: string;
}

/** The parts of cells, in order: most cells are one. Dense vectors are made of them, since embedders read only so far. */
export const partsOfCells = (cells: readonly EncodableCell[]): readonly CellPart[] =>
  cells.flatMap((cell) => splitIntoParts(cell.text).map((text) => ({ cell, text })));

/**
 * A text in parts that an embedder reads to their end: as many sentences or table rows as fit. Only a longer sentence is split
 * between words, and only a longer word within. A text that is one part is not changed; otherwise white space becomes a space.
 */
export function splitIntoParts(text: string): readonly string[] {
  if (fits(text)) return [text];
  const sentences = text.replaceAll(/\s+/g, ' ').trim().split(sentenceEnd);
  return join(
    sentences.flatMap((sentence) => (fits(sentence) ? [sentence] : join(words(sentence)))),
  );
}

const sentenceEnd = /(?<=[.?!]["'”’)\]]*) (?=["'“‘([]?[\p{Lu}\p{N}])|(?<=[。！？]|<\/tr>) ?/u;

const words = (sentence: string): readonly string[] =>
  sentence.split(' ').flatMap((word) => (fits(word) ? [word] : (word.match(longestCut) ?? [])));

/** No character is more than a word piece. */
const longestCut = new RegExp(`.{1,${partLimit}}`, 'gsu');

const fits = (text: string): boolean => text.length <= partLimit || wordPieces(text) <= partLimit;

/** Joins neighbours as long as they fit. */
function join(parts: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let size = Infinity;
  for (const part of parts) {
    const pieces = wordPieces(part);
    size += pieces;
    if (size <= partLimit) {
      joined.push(`${joined.pop() ?? ''} ${part}`);
    } else {
      joined.push(part);
      size = pieces;
    }
  }
  return joined;
}

/** An estimate of the tokens of BERT-like models: five letters or digits of a Latin word, or any other sign, are one. */
const wordPieces = (text: string): number => text.match(piece)?.length ?? 0;
const piece = /[\p{Script=Latin}\p{N}]{1,5}|\S/gu;

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
}): string => [dialectNotes[engine], ...tables.map(createdTable)].join('\n\n');

function createdTable(table: DatabaseTable): string {
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
