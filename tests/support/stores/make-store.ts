import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreManifest } from '../../../domain/stores/store-manifest.js';
import type { ImportedDatabases } from '../../../storage/stores/store-place.js';
import type { StoreGenerations } from '../../../storage/stores/store-generations.js';
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

/** Such files as stores, for what reads their tables. */
export const filesIn = (
  stores: string,
): {
  readonly generations: Pick<StoreGenerations, 'holding' | 'file' | 'forget'>;
  readonly imported: Pick<ImportedDatabases, 'file'>;
} => ({
  generations: {
    holding: ({ store }) => Promise.resolve({ name: store } as StoreManifest), // Nothing else is read.
    file: ({ name }) => Promise.resolve(join(stores, name, `${name}.duckdb`)),
    forget: () => undefined,
  },
  imported: { file: () => Promise.reject(new Error('there are no imported databases')) },
});
