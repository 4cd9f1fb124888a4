import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';

/** Options of a database that fetches and loads nothing. */
export const noExtensions = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
};

/** Opens a database, which is made if there is none, and closes it when the work with it is done. */
export async function withConnection<T>(
  file: string,
  options: Readonly<Record<string, string>>,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const instance = await DuckDBInstance.create(file, options);
  try {
    const connection = await instance.connect();
    try {
      return await work(connection);
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
  }
}

export type OpenedStore =
  | { readonly kind: 'open'; readonly instance: DuckDBInstance }
  | { readonly kind: 'store-missing' }
  | { readonly kind: 'store-damaged' }
  | { readonly kind: 'store-unavailable'; readonly message: string };

interface KeptOpen {
  readonly version: string;
  readonly instance: DuckDBInstance;
}

/** Keeps the databases that were used last open, and opens one again when its file was replaced. */
export function createStoreOpener(
  memoryMb: number,
  keptOpen: number,
): (file: string) => Promise<OpenedStore> {
  const opened = new LRUCache<string, KeptOpen>({
    max: keptOpen,
    dispose: ({ instance }) => instance.closeSync(),
  });

  return async (file) => {
    const version = versionOf(file);
    if (version === null) return { kind: 'store-missing' };
    const known = opened.get(file);
    if (known?.version === version) return { kind: 'open', instance: known.instance };
    if (!(await isDuckDbFile(file))) return { kind: 'store-damaged' };
    opened.delete(file);
    try {
      const instance = await openHardened(file, memoryMb);
      opened.set(file, { version, instance });
      return { kind: 'open', instance };
    } catch (error) {
      return { kind: 'store-unavailable', message: String(error) };
    }
  };
}

function versionOf(file: string): string | null {
  try {
    const { dev, ino, mtimeMs, size } = statSync(file);
    return [dev, ino, mtimeMs, size].join(' ');
  } catch {
    return null;
  }
}

/** Bytes 8 to 11 of every DuckDB file spell DUCK. */
async function isDuckDbFile(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(12), 0, 12, 0);
    return buffer.toString('latin1', 8) === 'DUCK';
  } finally {
    await handle.close();
  }
}

async function openHardened(file: string, memoryMb: number): Promise<DuckDBInstance> {
  const instance = await DuckDBInstance.create(file, {
    access_mode: 'READ_ONLY',
    memory_limit: `${memoryMb}MB`,
    // With a second thread, a statement over a few rows takes twice as long. Processes run in parallel instead.
    threads: '1',
    max_temp_directory_size: '0B',
    ...noExtensions,
  });
  const connection = await instance.connect();
  try {
    for (const statement of hardening) await connection.run(statement);
  } finally {
    connection.closeSync();
  }
  return instance;
}

/**
 * Keeps SQL from files and the network. The order matters: `enable_external_access = false` still allows the folders that are
 * set at that moment, so they are cleared first.
 */
export const noExternalAccess = [
  "SET temp_directory = ''",
  "SET secret_directory = ''",
  "SET extension_directory = ''",
  "SET home_directory = ''",
  'SET enable_external_access = false',
];

/** To be run last. */
export const lockedConfiguration = 'SET lock_configuration = true';

/** Without the local file system, a store can only be read because its file is open already. */
export const hardening = [
  ...noExternalAccess,
  "SET disabled_filesystems = 'LocalFileSystem'",
  lockedConfiguration,
];
