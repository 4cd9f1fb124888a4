/** A database value as JSON. Integers above 2^53, and decimals that would lose digits, are strings. */
export type Cell =
  null | boolean | number | string | readonly Cell[] | { readonly [key: string]: Cell };

export interface Column {
  readonly name: string;
  /**
   * DuckDB's own name of the type, e.g. `VARCHAR`, `BIGINT`, `VARCHAR[]`. Of a result of SQLite the type of all values, one of
   * `sqliteTypes`, or `ANY`.
   */
  readonly type: string;
  /** Where the values have several types in SQLite: a letter of `sqliteTypes` for each row. */
  readonly rowTypes?: string | undefined;
}

/** The types of values in SQLite. */
export const sqliteTypes = { i: 'INTEGER', r: 'REAL', t: 'TEXT', b: 'BLOB', n: 'NULL' } as const;
export type SqliteType = keyof typeof sqliteTypes;

/** The type of the value that a column has in a row. */
export const typeInRow = ({ type, rowTypes }: Column, row: number): string =>
  (rowTypes && sqliteTypes[rowTypes[row] as SqliteType]) ?? type;

/** The rows of one statement, up to the row and token limits of the query. */
export interface TableResult {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Whether the statement had more rows than `rows` holds. */
  readonly more: boolean;
}
