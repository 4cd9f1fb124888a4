import type { StoreName } from '../../domain/ids.js';
import type { TableResult } from '../../domain/observations/table-result.js';

export interface SqlRequest {
  readonly store: StoreName;
  /** Written by the model: not to be trusted. */
  readonly sql: string;
  /** Rows read at most; one row more is fetched to know whether there are more. */
  readonly maxRows: number;
  readonly timeoutMs: number;
}

/** What the model can act on is a value; only an unreachable or missing store is thrown (PortFailure). */
export type SqlOutcome =
  | { readonly kind: 'rows'; readonly result: TableResult }
  /** `failure` is DuckDB's class of the error, e.g. `binder`, or `refused`, `memory`, `crash`. */
  | { readonly kind: 'sql-error'; readonly failure: string; readonly message: string }
  | { readonly kind: 'sql-timeout' };

export interface TablesPort {
  readonly query: (request: SqlRequest, signal: AbortSignal) => Promise<SqlOutcome>;
  /** The texts of `columnName`, by primary key; keys without a row are absent. Identifiers come from us, not from the model. */
  readonly texts: (
    request: {
      readonly store: StoreName;
      readonly tableName: string;
      readonly columnName: string;
      readonly primaryKeys: readonly string[];
    },
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<string, string>>;
}
