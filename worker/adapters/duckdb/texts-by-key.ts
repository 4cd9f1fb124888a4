import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { z } from 'zod';

const keyColumnSchema = z.object({ name: z.string(), type: z.string() });
type KeyColumn = z.infer<typeof keyColumnSchema>;

/** The texts of a column by primary key. Parts of a composite key are joined by commas, as the collections hold them. */
export async function textsByKey(
  instance: DuckDBInstance,
  connection: DuckDBConnection,
  {
    tableName,
    columnName,
    primaryKeys,
  }: {
    readonly tableName: string;
    readonly columnName: string;
    readonly primaryKeys: readonly string[];
  },
): Promise<readonly (readonly [key: string, text: string])[]> {
  const keyColumns = await knownKeyColumns(instance, connection, tableName);
  const key = `concat_ws(',', ${keyColumns.map(({ name }) => identifier(name)).join(', ')})`;
  const text = `${identifier(columnName)}::VARCHAR`;
  const reader = await connection.runAndReadAll(
    `WITH wanted(key) AS (SELECT unnest($keys::JSON::VARCHAR[]))
     SELECT ${key}, ${text} FROM ${identifier(tableName)}
     WHERE ${text} IS NOT NULL AND ${isWanted(keyColumns, key)}`,
    { keys: JSON.stringify(primaryKeys) },
  );
  return reader.getRows().map(([found, value]) => [String(found), String(value)]);
}

/** Asked once per table of an opened store, which does not change: it would take as long as the texts themselves. */
const known = new WeakMap<DuckDBInstance, Map<string, readonly KeyColumn[]>>();

async function knownKeyColumns(
  instance: DuckDBInstance,
  connection: DuckDBConnection,
  tableName: string,
): Promise<readonly KeyColumn[]> {
  const tables = known.get(instance) ?? new Map<string, readonly KeyColumn[]>();
  known.set(instance, tables);
  const keyColumns = tables.get(tableName) ?? (await keyColumnsOf(connection, tableName));
  tables.set(tableName, keyColumns);
  return keyColumns;
}

/** The declared primary key, else the first column. */
async function keyColumnsOf(
  connection: DuckDBConnection,
  tableName: string,
): Promise<readonly KeyColumn[]> {
  const reader = await connection.runAndReadAll(
    `SELECT name, type FROM pragma_table_info($table)
     QUALIFY pk OR (cid = 0 AND NOT bool_or(pk) OVER ())
     ORDER BY cid`,
    { table: identifier(tableName) },
  );
  return z.array(keyColumnSchema).min(1).parse(reader.getRowObjects());
}

/** One column is compared in its own type, so that its index serves. */
function isWanted(keyColumns: readonly KeyColumn[], key: string): string {
  const [column, ...others] = keyColumns;
  return column === undefined || others.length > 0
    ? `${key} IN (SELECT key FROM wanted)`
    : `${identifier(column.name)} IN (SELECT TRY_CAST(key AS ${column.type}) FROM wanted)`;
}

const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
