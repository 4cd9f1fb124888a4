import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

/** Makes `stores/NAME/NAME.duckdb` with the given statements and returns the file's path. */
export async function makeStore(
  stores: string,
  name: string,
  statements: readonly string[],
): Promise<string> {
  mkdirSync(join(stores, name), { recursive: true });
  const file = join(stores, name, `${name}.duckdb`);
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
  return file;
}
