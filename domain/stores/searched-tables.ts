import type { DatabaseTable, SearchedTable } from './database.js';

/** What the cells of a column of texts are like. Empty cells and NULL are not counted. */
export interface TextFigures {
  readonly column: string;
  readonly cells: number;
  /** Distinct cells; may be an estimate. */
  readonly distinct: number;
  /** The mean number of words of a cell, by its beginning. */
  readonly words: number;
}

/** Fewer words than a name of a thing has, such as codes, addresses of pages and file names, are found better by SQL. */
const fewestWords = 2;
/** A value that so many rows share is a category, such as a state or a country: SQL counts and filters them. */
const mostShared = 10;

/** Whether a search by words or by meaning can tell the cells of a column apart better than SQL does. */
export const isSearched = ({ cells, distinct, words }: TextFigures): boolean =>
  cells > 0 && words >= fewestWords && distinct * mostShared > cells;

/** DuckDB's name for the number of a row in its table, from 0. */
export const rowNumber = 'rowid';

/** The keys that may name the rows of a table, the best first. */
export const possibleKeys = ({
  primaryKey,
}: Pick<DatabaseTable, 'primaryKey'>): readonly (readonly string[])[] =>
  primaryKey.length > 0 ? [primaryKey, [rowNumber]] : [[rowNumber]];

/** What somebody has said on whether a column is searched; undefined where nobody has. */
type SearchChoice = (column: string) => boolean | undefined;

/** The columns that may hold texts: keys name things, and are looked up by SQL, unless somebody wants otherwise. */
export function textColumns(
  {
    columns,
    primaryKey,
    foreignKeys,
  }: Pick<DatabaseTable, 'columns' | 'primaryKey' | 'foreignKeys'>,
  chosen: SearchChoice,
): readonly string[] {
  const keys = new Set([...primaryKey, ...foreignKeys.flatMap((key) => key.columns)]);
  return columns
    .filter(({ name, type }) => type === 'VARCHAR' && (chosen(name) ?? !keys.has(name)))
    .map(({ name }) => name);
}

/** The most characters that the names of tables and columns, and the keys of rows, may have in the collections, in bytes. */
export const longestName = 256;
export const longestKey = 512;

/** What searches find in a table; null if that is nothing. @param key - null where nothing names its rows */
export function searchedTable(
  table: string,
  key: readonly string[] | null,
  figures: readonly TextFigures[],
  chosen: SearchChoice,
): SearchedTable | null {
  const columns = figures
    .filter((each) => each.cells > 0 && (chosen(each.column) ?? isSearched(each)))
    .map(({ column }) => column);
  return key === null || columns.length === 0 ? null : { table, key, columns };
}
