import {
  DuckDBInstance,
  type DuckDBConnection,
  type DuckDBPreparedStatement,
} from '@duckdb/node-api';
import { z } from 'zod';
import { limits, notAvailable, refusalOfCount, refusalOfText } from './messages.js';

/** Allowed table functions: they compute, or describe the store's tables. All others read files, settings or the process. */
const tableFunctions: ReadonlySet<string> = new Set([
  'duckdb_columns',
  'duckdb_constraints',
  'duckdb_functions',
  'duckdb_indexes',
  'duckdb_keywords',
  'duckdb_schemas',
  'duckdb_tables',
  'duckdb_types',
  'duckdb_views',
  'generate_series',
  'generate_subscripts',
  'histogram',
  'histogram_values',
  'json_each',
  'json_tree',
  'pragma_show',
  'pragma_table_info',
  'range',
  'regexp_split_to_table',
  'repeat',
  'repeat_row',
  'summary',
  'unnest',
]);

/** Functions and built-in views that reveal something about this machine or have effects beyond the statement. */
const forbidden: ReadonlySet<string> = new Set([
  'current_setting',
  'getenv',
  'getvariable',
  'pg_sleep',
  'setseed',
  'sleep_ms',
  'write_log',
  'duckdb_databases',
  'duckdb_logs',
  'pg_settings',
  'pragma_database_list',
]);

const serializedSchema = z.union([
  z.object({ error: z.literal(true), error_type: z.string() }),
  z.object({ error: z.literal(false), statements: z.array(z.unknown()) }),
]);

const nodeSchema = z.object({
  type: z.string().optional(),
  class: z.string().optional(),
  function_name: z.string().optional(),
  table_name: z.string().optional(),
  function: z.object({ function_name: z.string() }).optional(),
});

/**
 * Why a statement may not run, or null if it may. Allowed is one SELECT (also WITH, VALUES, DESCRIBE, SHOW and SUMMARIZE)
 * over tables and functions that stay inside the store. The check uses DuckDB's parse tree, not the text.
 *
 * @throws DuckDB's error for a text that it cannot parse
 */
export async function refusalOf(connection: DuckDBConnection, sql: string): Promise<string | null> {
  const refused = refusalOfText(sql);
  if (refused !== null) return refused;
  const parsed = await parse(sql);
  if (parsed.error) {
    // Throws the parser's error with its position in the text.
    if (parsed.error_type === 'parser') await connection.prepare(sql);
    return onlySelect;
  }
  const miscounted = refusalOfCount(parsed.statements.length);
  if (miscounted !== null) return miscounted;
  for (const node of nodesOf(parsed.statements)) {
    const name = forbiddenName(node);
    if (name !== null) return notAvailable(name);
  }
  return null;
}

const onlySelect =
  'Only one SELECT statement can be run (WITH, VALUES, DESCRIBE, SHOW and SUMMARIZE count as such).';

/** Parses without a store, so that none stays open for it. */
let parser: Promise<DuckDBPreparedStatement> | undefined;

async function makeParser(): Promise<DuckDBPreparedStatement> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  return connection.prepare(
    'SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true)',
  );
}

async function parse(sql: string): Promise<z.infer<typeof serializedSchema>> {
  const statement = await (parser ??= makeParser());
  statement.bindVarchar(1, sql);
  const reader = await statement.runAndReadAll();
  return serializedSchema.parse(JSON.parse(String(reader.value(0, 0))));
}

function forbiddenName(candidate: unknown): string | null {
  const { data: node } = nodeSchema.safeParse(candidate);
  if (!node) return null;
  if (node.type === 'TABLE_FUNCTION') {
    const name = node.function?.function_name ?? 'This table function';
    return tableFunctions.has(name.toLowerCase()) ? null : name;
  }
  const name =
    node.type === 'BASE_TABLE'
      ? node.table_name
      : node.class === 'FUNCTION'
        ? node.function_name
        : undefined;
  return name !== undefined && forbidden.has(name.toLowerCase()) ? name : null;
}

/** Every object inside `root`. It does not recurse, since a model could nest a statement too deeply for the stack. */
function* nodesOf(root: unknown): Generator<object> {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) yield value;
    const members: readonly unknown[] = Object.values(value);
    open.push(...members);
  }
}

/** DuckDB's advice on settings and folders, which the author of a statement cannot follow. */
const advice =
  /^(Database is launched|Unused blocks|Launch the database|Or set SET|Possible solutions|See also|\* )/;

/** The parts of a DuckDB error that concern the statement, as shown to the model. */
export function modelMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const lines = message.split('\n').filter((line) => !advice.test(line));
  return lines
    .join('\n')
    .replace(/ Use "SET [^"]*" to increase[^\n]*/, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .slice(0, limits.messageCharacters);
}

/** The class of a DuckDB error, from its first words: `binder` for `Binder Error: …`, `invalid-input` for `Invalid Input Error: …`. */
export function failureClass(message: string): string {
  const [, name] = /^(\w+(?: \w+)*?) Error:/i.exec(message) ?? [];
  return name?.toLowerCase().replaceAll(' ', '-') ?? 'other';
}
