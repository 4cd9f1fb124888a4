import type { ScratchOutcome, ScratchRequest } from '../../../activities/ports/building.js';
import type { TableResult, Cell } from '../../../domain/agent/observations/tool-outcome.js';

/** Limits of one statement. Those of time and rows are part of a request, that of memory is the process's (`query-processes.ts`). */
export const limits = {
  sqlCharacters: 100_000,
  /** Of one cell, as text or as the JSON of a list or struct. */
  cellCharacters: 200_000,
  /** Of all cells of a result. The first row is always returned, with its cells shortened. */
  resultCharacters: 2_000_000,
  messageCharacters: 2_000,
} as const;

/** Why a text may not even be parsed; null if it may. */
export function refusalOfText(sql: string): string | null {
  if (sql.length > limits.sqlCharacters) {
    return `The SQL is longer than ${limits.sqlCharacters} characters.`;
  }
  // Engines stop reading at a NUL, and so could execute another text than the one checked.
  return sql.includes('\0') ? 'The SQL holds a NUL character.' : null;
}

/** Why a text may not be run with so many statements; null if it may. */
export function refusalOfCount(statements: number): string | null {
  if (statements === 0) return 'The SQL is empty.';
  if (statements === 1) return null;
  return `Only one statement can be run at a time, and the SQL holds ${statements}.`;
}

/** @param name - of a function, table or setting */
export const notAvailable = (name: string): string =>
  `${name} is not available: SQL can read the tables of this database.`;

/** A database that is made in memory for one request. */
export interface ScratchQuestion extends Omit<ScratchRequest, 'timeoutMs'> {
  readonly kind: 'scratch';
  /** There is none. */
  readonly file: '';
}

/** A statement over the tables of a file. */
export interface SqlQuestion {
  readonly kind: 'query';
  readonly file: string;
  readonly sql: string;
  readonly maxRows: number;
}

/** A request to a query process, which handles one at a time. */
export type Question =
  | ScratchQuestion
  | SqlQuestion
  | {
      readonly kind: 'texts';
      readonly file: string;
      readonly tableName: string;
      readonly columnName: string;
      readonly primaryKeys: readonly string[];
      /** @defaultValue the declared primary key, else the first column */
      readonly keyColumns?: readonly string[];
    };

export type Answer =
  | { readonly kind: 'rows'; readonly result: TableResult }
  | { readonly kind: 'texts'; readonly texts: readonly (readonly [key: string, text: string])[] }
  | { readonly kind: 'scratch'; readonly outcome: ScratchOutcome }
  | { readonly kind: 'sql-error'; readonly failure: string; readonly message: string }
  | { readonly kind: 'store-missing' }
  /** The file is no database. */
  | { readonly kind: 'store-damaged' }
  | { readonly kind: 'store-unavailable'; readonly message: string };

/** From the thread that runs SQLite. */
export type SqliteAnswer = Answer | { readonly kind: 'out-of-memory' };

/**
 * `ready` comes once, when the process can take requests; `used` comes again and again during a request, with the processor
 * time of that so far; `out-of-memory` comes just before it ends itself.
 */
export type FromProcess =
  | { readonly kind: 'ready' }
  | { readonly kind: 'used'; readonly cpuMs: number }
  | { readonly kind: 'out-of-memory' }
  | Answer;

interface BoundedRows {
  readonly rows: readonly (readonly Cell[])[];
  /** Keeps a row, or returns false, and the result has more rows than are kept. */
  readonly add: (cells: readonly Cell[]) => boolean;
}

/**
 * Keeps rows up to `maxRows` or `limits.resultCharacters`, whichever is reached first. A cell longer than
 * `limits.cellCharacters`, or too long for the first row, is cut, with a note of its length.
 */
export function boundedRows(maxRows: number): BoundedRows {
  const rows: (readonly Cell[])[] = [];
  let room: number = limits.resultCharacters;
  return {
    rows,
    add: (cells) => {
      if (rows.length >= maxRows) return false;
      const row = boundedRow(cells);
      room -= row.characters;
      if (room < 0 && rows.length > 0) return false;
      rows.push(row.cells);
      return true;
    },
  };
}

function boundedRow(cells: readonly Cell[]): {
  readonly cells: readonly Cell[];
  readonly characters: number;
} {
  let characters = 0;
  const kept = cells.map((cell) => {
    const text = typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : String(cell);
    const limit = Math.min(limits.cellCharacters, limits.resultCharacters - characters);
    characters += Math.min(text.length, limit);
    return text.length <= limit
      ? cell
      : `${text.slice(0, limit)}… [cut: ${text.length} characters in all]`;
  });
  return { cells: kept, characters };
}

/** An integer as JSON: a text where a number would lose digits. */
export function integerCell(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
