import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkStoreResultSchema,
  type CheckStoreResult,
} from '../../../domain/stores/store-check.js';
import {
  generationOfFile,
  generationsFolder,
  storeFile,
  storeFolder,
  storeManifestSchema,
  storesFolder,
  type StoreFile,
  type StoreManifest,
} from '../../../domain/stores/store-manifest.js';
import type { Finished } from '../command-line.js';

/** The path of the manifest in use of a store in a home; null if there is none. */
export function manifestPath(home: string, store: string): string | null {
  const folder = join(home, storesFolder, store, generationsFolder);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const [newest] = names.sort((a, b) => (generationOfFile(b) ?? 0) - (generationOfFile(a) ?? 0));
  return newest === undefined ? null : join(folder, newest);
}

/** The manifest of a store in a home, as the last command left it. */
export const storedManifest = (home: string, store: string): StoreManifest =>
  storeManifestSchema.parse(JSON.parse(readFileSync(manifestPath(home, store) ?? '', 'utf8')));

/** The path of a file of the generation in use. */
export function storedFile(home: string, store: string, file: StoreFile): string {
  const { name, files } = storedManifest(home, store);
  const content = files[file];
  if (content === undefined) throw new Error(`store ${store} has no ${file}`);
  return join(home, storeFolder(name), storeFile(name, file, content));
}

/** `turnwise store check --json`: its exit status and what it has found. */
export async function storeCheck(
  command: (...args: string[]) => Promise<Finished>,
  store: string,
  ...flags: string[]
): Promise<CheckStoreResult & { readonly status: number | null }> {
  const checked = await command('store', 'check', store, '--json', ...flags);
  return { status: checked.status, ...checkStoreResultSchema.parse(JSON.parse(checked.stdout)) };
}
