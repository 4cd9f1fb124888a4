import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkStoreResultSchema,
  type CheckStoreResult,
} from '../../../domain/stores/store-check.js';
import { storeManifestSchema, type StoreManifest } from '../../../domain/stores/store-manifest.js';
import type { Finished } from '../command-line.js';

/** The manifest of a store in a home, as the last command left it. */
export const storedManifest = (home: string, store: string): StoreManifest =>
  storeManifestSchema.parse(
    JSON.parse(readFileSync(join(home, 'stores', store, 'store.json'), 'utf8')),
  );

/** `turnwise store check --json`: its exit status and what it has found. */
export async function storeCheck(
  command: (...args: string[]) => Promise<Finished>,
  store: string,
  ...flags: string[]
): Promise<CheckStoreResult & { readonly status: number | null }> {
  const checked = await command('store', 'check', store, '--json', ...flags);
  return { status: checked.status, ...checkStoreResultSchema.parse(JSON.parse(checked.stdout)) };
}
