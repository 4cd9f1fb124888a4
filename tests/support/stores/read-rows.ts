import { DuckDBInstance } from '@duckdb/node-api';

/** The rows of one query over a DuckDB file, as plain JSON by column name. */
export async function readRows(
  path: string,
  sql: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
