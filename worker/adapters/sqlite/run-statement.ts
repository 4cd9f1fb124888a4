import {
  sqliteTypes,
  type Cell,
  type Column,
  type SqliteType,
} from '../../../domain/agent/observations/tool-outcome.js';
import {
  boundedRows,
  integerCell,
  limits,
  refusalOfCount,
  refusalOfText,
  notAvailable,
  type Answer,
  type SqliteAnswer,
} from '../duckdb/messages.js';
import type { Pointer, SqliteLibrary, Sqlite } from './library.js';

// cspell:ignore DBCONFIG NOTADB TOOBIG capi errmsg pstack

/** An open database. */
export interface SqliteConnection {
  readonly run: (sql: string, maxRows: number) => SqliteAnswer;
  readonly close: () => void;
}

/** Of one text or BLOB, in bytes. */
const mostBytes = 64 * 2 ** 20;
/** Of one database, in KiB. */
const pageCache = 16 * 2 ** 10;

/**
 * Opens a database as a benchmark does with Python's sqlite3: `"x"` is a text where no column can be meant.
 * Null if it cannot be opened.
 * @param file - or null for one in memory
 * @param memoryMb - of all databases together
 * @param filling - statements that make and fill it; what fails is left out
 */
export function openSqlite(
  { sqlite, open }: SqliteLibrary,
  file: string | null,
  memoryMb: number,
  filling: readonly string[] = [],
): SqliteConnection | null {
  const { capi } = sqlite;
  const connection = open(file);
  if (connection === null) return null;
  for (const option of [
    ...[capi.SQLITE_DBCONFIG_DQS_DML, capi.SQLITE_DBCONFIG_DQS_DDL],
    capi.SQLITE_DBCONFIG_DEFENSIVE,
  ]) {
    capi.sqlite3_db_config(connection, option, 1, 0);
  }
  capi.sqlite3_limit(connection, capi.SQLITE_LIMIT_LENGTH, mostBytes);
  capi.sqlite3_limit(connection, capi.SQLITE_LIMIT_ATTACHED, 0);
  const settings = `PRAGMA hard_heap_limit = ${memoryMb * 2 ** 20}; PRAGMA cache_size = -${pageCache}`;
  capi.sqlite3_exec(connection, settings, 0, 0, 0);
  for (const statement of filling) capi.sqlite3_exec(connection, statement, 0, 0, 0);
  const actions = allowOnlyReading(sqlite, connection);
  return {
    run: (sql, maxRows) => run(sqlite, connection, actions, sql, maxRows),
    close: () => void capi.sqlite3_close_v2(connection),
  };
}

function run(
  sqlite: Sqlite,
  connection: Pointer,
  actions: AllowedActions,
  sql: string,
  maxRows: number,
): SqliteAnswer {
  const { capi } = sqlite;
  const refused = refusalOfText(sql);
  if (refused !== null) return refusedAs(refused);
  actions.reset();
  const { statements, code } = prepare(sqlite, connection, sql);
  try {
    const [statement] = statements;
    if (code !== capi.SQLITE_OK) return failureOf(sqlite, connection, actions, code);
    const miscounted = refusalOfCount(statements.length);
    if (miscounted !== null || statement === undefined) return refusedAs(miscounted ?? '');
    // Some ask the authorizer only once they run: VACUUM, or REINDEX if there is an index.
    const isReading = capi.sqlite3_stmt_readonly(statement) !== 0;
    if (!isReading || capi.sqlite3_column_count(statement) === 0) return refusedAs(notASelect);
    const read = readResult(sqlite, statement, maxRows);
    return typeof read === 'number' ? failureOf(sqlite, connection, actions, read) : read;
  } finally {
    for (const each of statements) capi.sqlite3_finalize(each);
  }
}

/** All statements of a text, as far as they can be prepared. */
function prepare(
  { capi, wasm }: Sqlite,
  connection: Pointer,
  sql: string,
): { readonly statements: readonly Pointer[]; readonly code: number } {
  const text = wasm.allocCString(sql, false);
  const stack = wasm.pstack.pointer;
  const [made, rest] = [wasm.pstack.alloc(8), wasm.pstack.alloc(8)];
  const statements: Pointer[] = [];
  try {
    for (let at = text; wasm.peek8(at) !== 0; at = wasm.peekPtr(rest)) {
      const code = capi.sqlite3_prepare_v3(connection, at, -1, 0, made, rest);
      if (code !== capi.SQLITE_OK) return { statements, code };
      const statement = wasm.peekPtr(made);
      // A comment, or a semicolon alone, is none.
      if (statement !== 0) statements.push(statement);
    }
    return { statements, code: capi.SQLITE_OK };
  } finally {
    wasm.pstack.restore(stack);
    wasm.dealloc(text);
  }
}

/** The result of a statement, or the code of the error with which it ended. */
function readResult(sqlite: Sqlite, statement: Pointer, maxRows: number): Answer | number {
  const { capi } = sqlite;
  const width = capi.sqlite3_column_count(statement);
  const names = Array.from({ length: width }, (_, at) => capi.sqlite3_column_name(statement, at));
  const types = names.map((): SqliteType[] => []);
  const { rows, add } = boundedRows(maxRows);
  const result = (more: boolean): Answer => {
    const columns = names.map((name, at) => columnOf(name, types[at] ?? []));
    return { kind: 'rows', result: { columns, rows, more } };
  };
  for (;;) {
    const code = capi.sqlite3_step(statement);
    if (code === capi.SQLITE_DONE) return result(false);
    if (code !== capi.SQLITE_ROW) return code;
    const values = names.map((_, at) => valueAt(sqlite, statement, at));
    if (!add(values.map(({ cell }) => cell))) return result(true);
    values.forEach(({ type }, at) => types[at]?.push(type));
  }
}

/** SQLite has the type of each value, not of a column. */
function columnOf(name: string, types: readonly SqliteType[]): Column {
  const present = [...new Set(types)].filter((type) => type !== 'n');
  const [only = 'n'] = present;
  return present.length <= 1
    ? { name, type: sqliteTypes[only] }
    : { name, type: 'ANY', rowTypes: types.join('') };
}

// A mark of the order of bytes is a part of the text.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

function valueAt(
  sqlite: Sqlite,
  statement: Pointer,
  at: number,
): { readonly type: SqliteType; readonly cell: Cell } {
  const { capi } = sqlite;
  switch (capi.sqlite3_column_type(statement, at)) {
    case capi.SQLITE_INTEGER:
      return { type: 'i', cell: integerCell(capi.sqlite3_column_int64(statement, at)) };
    case capi.SQLITE_FLOAT: {
      const value = capi.sqlite3_column_double(statement, at);
      return { type: 'r', cell: Number.isFinite(value) ? value : String(value) };
    }
    case capi.SQLITE_TEXT:
      return { type: 't', cell: utf8.decode(bytesAt(sqlite, statement, at)) };
    case capi.SQLITE_BLOB:
      return { type: 'b', cell: Buffer.from(bytesAt(sqlite, statement, at)).toString('hex') };
    default:
      return { type: 'n', cell: null };
  }
}

/** The library's own reader of texts ends them at a NUL. */
function bytesAt({ capi, wasm }: Sqlite, statement: Pointer, at: number): Uint8Array {
  const from = capi.sqlite3_column_blob(statement, at);
  return wasm.heap8u().subarray(from, from + capi.sqlite3_column_bytes(statement, at));
}

const refusedAs = (message: string): Answer => ({ kind: 'sql-error', failure: 'refused', message });

function failureOf(
  { capi }: Sqlite,
  connection: Pointer,
  actions: AllowedActions,
  code: number,
): SqliteAnswer {
  const refusal = actions.refusal();
  if (refusal !== null) return refusedAs(refusal);
  const [primary, message] = [code & 0xff, capi.sqlite3_errmsg(connection)];
  if (primary === capi.SQLITE_NOMEM) return { kind: 'out-of-memory' };
  if (primary === capi.SQLITE_NOTADB) return { kind: 'store-damaged' };
  const failure =
    primary === capi.SQLITE_TOOBIG
      ? 'memory'
      : primary === capi.SQLITE_ERROR
        ? (classes.find(([pattern]) => pattern.test(message))?.[1] ?? 'binder')
        : 'other';
  return { kind: 'sql-error', failure, message: message.slice(0, limits.messageCharacters) };
}

/** The classes that DuckDB's errors have, by SQLite's words: it has one code for all. */
const classes: readonly (readonly [RegExp, string])[] = [
  [/syntax error|incomplete input|unrecognized token/, 'parser'],
  [/^no such (?:table|function)/, 'catalog'],
];

// cspell:ignore capi dbpage dbstat

const notASelect =
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

interface AllowedActions {
  /** Why the statement that was last prepared or run was refused; null if it was not. */
  readonly refusal: () => string | null;
  /** To be called before a statement. */
  readonly reset: () => void;
}

/**
 * Lets statements of a connection read its tables, and nothing else. SQLite asks about each action while it prepares a statement:
 * an action that is not known here is refused.
 */
function allowOnlyReading({ capi }: Sqlite, connection: Pointer): AllowedActions {
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
