// cspell:ignore capi dbpage dbstat
import { notAvailable } from '../duckdb/messages.js';
import type { Pointer, Sqlite } from './library.js';

export const notASelect =
  'Only one SELECT statement can be run (WITH, VALUES and EXPLAIN count as such, and a PRAGMA that describes a table).';

/** They describe the tables of the database. All others read or change settings, or say where the file is. */
const pragmas: ReadonlySet<string> = new Set([
  ...['table_info', 'table_xinfo', 'table_list', 'foreign_key_list', 'foreign_key_check'],
  ...['index_info', 'index_xinfo', 'index_list', 'collation_list', 'function_list'],
]);

/** Tables of the library itself: bytes of the file, statements and their programs. */
const hiddenTables: ReadonlySet<string> = new Set([
  ...['bytecode', 'dbstat', 'sqlite_dbpage', 'sqlite_stmt', 'tables_used'],
]);

/** Functions that reach out of the database. The library is built without most of them. */
const hiddenFunctions: ReadonlySet<string> = new Set([
  ...['edit', 'fts3_tokenizer', 'load_extension', 'readfile', 'sqlite_log', 'writefile'],
]);

export interface AllowedActions {
  /** Why the statement that was last prepared or run was refused; null if it was not. */
  readonly refusal: () => string | null;
  /** To be called before a statement. */
  readonly reset: () => void;
}

/**
 * Lets statements of a connection read its tables, and nothing else. SQLite asks about each action while it prepares a statement:
 * an action that is not known here is refused.
 */
export function allowOnlyReading({ capi }: Sqlite, connection: Pointer): AllowedActions {
  let refusal: string | null = null;
  const refusalOf = (action: number, first: string, second: string): string | null => {
    switch (action) {
      case capi.SQLITE_SELECT:
      case capi.SQLITE_RECURSIVE:
        return null;
      case capi.SQLITE_READ:
        return hiddenTables.has(first.toLowerCase()) ? notAvailable(first) : null;
      case capi.SQLITE_FUNCTION:
        return hiddenFunctions.has(second.toLowerCase()) ? notAvailable(second) : null;
      case capi.SQLITE_PRAGMA:
        return pragmas.has(first.toLowerCase()) ? null : notAvailable(`PRAGMA ${first}`);
      default:
        return notASelect;
    }
  };
  capi.sqlite3_set_authorizer(
    connection,
    (_context, action, first, second) => {
      const found = refusalOf(action, first || '', second || '');
      refusal ??= found;
      return found === null ? capi.SQLITE_OK : capi.SQLITE_DENY;
    },
    0,
  );
  return { refusal: () => refusal, reset: () => (refusal = null) };
}
