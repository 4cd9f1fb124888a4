import { stat } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { nullIfAbsent } from './atomic-file.js';

interface CachedValue {
  /** Inode, modification time and size of the file: a change alters at least one of them. */
  readonly version: string;
  readonly bytes: number;
  readonly value: Promise<unknown>;
}

/** A cache of values made from files. A value is valid until its file changes, through this process or another. */
export class UnchangedFiles {
  readonly #cache: LRUCache<string, CachedValue>;

  /** @param maxBytes - of all files together; the least recently used are evicted. @defaultValue no limit */
  constructor(maxBytes = Number.MAX_SAFE_INTEGER) {
    this.#cache = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes + 1 });
  }

  /** The value that `make` makes of the file; null if there is no file, or if `make` returns null. Rejects with the errors of node:fs. */
  async read<T>(path: string, make: () => Promise<T | null>): Promise<T | null> {
    const current = await versionOf(path);
    const known = this.#cache.get(path);
    // Of type T, since a cache is used with one `make` for a path.
    if (current !== null && known?.version === current.version)
      return known.value as Promise<T | null>;
    this.#cache.delete(path);
    if (current === null) return null;
    const value = make();
    const cached = { ...current, value };
    this.#cache.set(path, cached);
    const remove = (): void => {
      if (this.#cache.get(path) === cached) this.#cache.delete(path);
    };
    value.then((found) => found ?? remove(), remove);
    return value;
  }

  /** Caches the value of a file that was just written, so that it need not be read. */
  async add(path: string, value: unknown): Promise<void> {
    // If the file cannot be accessed, the next read reports it.
    const current = await versionOf(path).catch(() => null);
    if (current !== null) this.#cache.set(path, { ...current, value: Promise.resolve(value) });
  }

  remove(path: string): void {
    this.#cache.delete(path);
  }
}

async function versionOf(path: string): Promise<Pick<CachedValue, 'version' | 'bytes'> | null> {
  const stats = await stat(path).catch(nullIfAbsent);
  return stats && { version: [stats.ino, stats.mtimeMs, stats.size].join(' '), bytes: stats.size };
}
