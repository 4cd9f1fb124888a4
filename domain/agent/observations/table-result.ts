/** A database value as JSON. Integers above 2^53, and decimals that would lose digits, are strings. */
export type Cell =
  null | boolean | number | string | readonly Cell[] | { readonly [key: string]: Cell };

export interface Column {
  readonly name: string;
  /** DuckDB's own name of the type, e.g. `VARCHAR`, `BIGINT`, `VARCHAR[]`. */
  readonly type: string;
}

/** The rows of one statement, up to the row and token limits of the query. */
export interface TableResult {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Whether the statement had more rows than `rows` holds. */
  readonly more: boolean;
}
