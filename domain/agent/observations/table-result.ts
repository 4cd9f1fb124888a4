/** A database value as plain JSON. Integers beyond 2^53 and decimals that lose digits stay text. */
export type Cell =
  null | boolean | number | string | readonly Cell[] | { readonly [key: string]: Cell };

export interface Column {
  readonly name: string;
  /** DuckDB's own name of the type, e.g. `VARCHAR`, `BIGINT`, `VARCHAR[]`. */
  readonly type: string;
}

/** Rows of one statement, cut at the limits it ran under. */
export interface TableResult {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Whether the statement had more rows than `rows` holds. */
  readonly more: boolean;
}
