import type { DuckDBConnection, DuckDBInstance, DuckDBPreparedStatement } from '@duckdb/node-api';
import { z } from 'zod';
import { limits } from './messages.js';

/** Table functions that compute, or describe the store's own tables. Every other one reads files, settings or the process. */
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

/** Functions and built-in views that tell about this machine or reach beyond the statement. */
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
 * Why a statement may not run, or null when it may: exactly one SELECT (so WITH, VALUES, DESCRIBE, SHOW and SUMMARIZE too)
 * over tables and functions that stay inside the store. The judgement is on DuckDB's own parse tree, never on the text.
 *
 * @throws what DuckDB says about a text it cannot parse
 */
export async function refusalOf(
  instance: DuckDBInstance,
  connection: DuckDBConnection,
  sql: string,
): Promise<string | null> {
  if (sql.length > limits.sqlCharacters) {
    return `The SQL is longer than ${limits.sqlCharacters} characters.`;
  }
  // DuckDB would stop reading there, and so might execute another text than the one judged.
  if (sql.includes('\0')) return 'The SQL holds a NUL character.';
  const parsed = await parse(instance, sql);
  if (parsed.error) {
    // Preparing throws the parser's complaint in full, with the place it is about.
    if (parsed.error_type === 'parser') await connection.prepare(sql);
    return onlySelect;
  }
  if (parsed.statements.length === 0) return 'The SQL is empty.';
  if (parsed.statements.length > 1) {
    return `Only one statement can be run at a time, and the SQL holds ${parsed.statements.length}.`;
  }
  for (const node of nodesOf(parsed.statements)) {
    const name = forbiddenName(node);
    if (name !== null) return `${name} is not available: SQL can read the tables of this database.`;
  }
  return null;
}

const onlySelect =
  'Only one SELECT statement can be run (WITH, VALUES, DESCRIBE, SHOW and SUMMARIZE count as such).';

/** Prepared once for each opened store, on a connection that no statement of the model's is run on. */
const parsers = new WeakMap<DuckDBInstance, DuckDBPreparedStatement>();

async function parserOf(instance: DuckDBInstance): Promise<DuckDBPreparedStatement> {
  const known = parsers.get(instance);
  if (known) return known;
  const connection = await instance.connect();
  const parser = await connection.prepare(
    'SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true)',
  );
  parsers.set(instance, parser);
  return parser;
}

async function parse(
  instance: DuckDBInstance,
  sql: string,
): Promise<z.infer<typeof serializedSchema>> {
  const parser = await parserOf(instance);
  parser.bindVarchar(1, sql);
  const reader = await parser.runAndReadAll();
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

/** Every object inside `root`; without recursion, since the depth is the model's choice. */
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

/** DuckDB's advice on settings and folders: nothing that the author of a statement could follow. */
const advice =
  /^(Database is launched|Unused blocks|Launch the database|Or set SET|Possible solutions|See also|\* )/;

/** What an error of DuckDB says about the statement itself: its first lines, candidates and the place in the SQL. */
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

/** DuckDB's errors have their class in front: `Binder Error: …` is a `binder`, `Invalid Input Error: …` an `invalid-input`. */
export function failureClass(message: string): string {
  const [, name] = /^(\w+(?: \w+)*?) Error:/i.exec(message) ?? [];
  return name?.toLowerCase().replaceAll(' ', '-') ?? 'other';
}
