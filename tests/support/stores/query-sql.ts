import { DuckDBInstance } from '@duckdb/node-api';

/** Rows of a query, as a reader who stands in `folder` gets them. */
export async function querySql(
  sql: string,
  folder: string,
): Promise<readonly (readonly unknown[])[]> {
  const instance = await DuckDBInstance.create(':memory:', { file_search_path: folder });
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRows();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
