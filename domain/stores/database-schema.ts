import type { StoredDatabase } from './database.js';
import {
  paperTables,
  type ColumnSpec,
  type PaperRows,
  type PaperTableName,
  type TableSpec,
} from './paper-tables.js';
import type { Modality } from './store-manifest.js';

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
export interface EncodablePicture extends CellPlace {
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
