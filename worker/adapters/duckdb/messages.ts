import type { TableResult } from '../../../domain/agent/observations/table-result.js';

/** What one statement may use. Time and rows come with the request; memory is the process's (`query-processes.ts`). */
export const limits = {
  sqlCharacters: 100_000,
  /** Of one cell, as text or as the JSON of a list or struct. */
  cellCharacters: 200_000,
  /** Of all cells of a result; the first row is kept however long its uncut cells add up to. */
  resultCharacters: 2_000_000,
  messageCharacters: 2_000,
} as const;

/** What the adapter asks of a query process; one at a time. */
export type Question =
  | {
      readonly kind: 'query';
      readonly file: string;
      readonly sql: string;
      readonly maxRows: number;
    }
  | {
      readonly kind: 'texts';
      readonly file: string;
      readonly tableName: string;
      readonly columnName: string;
      readonly primaryKeys: readonly string[];
    };

export type Answer =
  | { readonly kind: 'rows'; readonly result: TableResult }
  | { readonly kind: 'texts'; readonly texts: readonly (readonly [key: string, text: string])[] }
  | { readonly kind: 'sql-error'; readonly failure: string; readonly message: string }
  | { readonly kind: 'store-missing' }
  /** The file is no DuckDB database. */
  | { readonly kind: 'store-damaged' }
  | { readonly kind: 'store-unavailable'; readonly message: string };

/** `ready` once, when it can be asked; `out-of-memory` is its last word before it ends itself. */
export type FromProcess = { readonly kind: 'ready' } | { readonly kind: 'out-of-memory' } | Answer;
