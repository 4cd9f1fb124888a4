import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { nullIfAbsent } from './atomic-file.js';

interface CachedValue {
  readonly version: string;
  readonly bytes: number;
  readonly value: Promise<unknown>;
}

/** A cache of values made from files. A value is valid until its file changes, through this process or another. */
export class UnchangedFiles {
  readonly #cache: LRUCache<string, CachedValue>;
  /** Concurrent reads of files in one folder share one `stat` of the folder. */
  readonly #folders = new Map<string, Promise<Stats | null>>();

  /** @param maxBytes - of all files together; the least recently used are evicted. @defaultValue no limit */
  constructor(maxBytes = Number.MAX_SAFE_INTEGER) {
    this.#cache = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes + 1 });
  }

  /**
   * The value that `make` makes of the file; null if there is no file, or if `make` returns null. Rejects with the errors
   * of node:fs.
   * @param folder - for a file that is written once: its value is valid as long as the folder is the same. One question to
   * the file system then serves all files of the folder. @defaultValue the file itself is asked for its version
   */
  async read<T>(path: string, make: () => Promise<T | null>, folder?: string): Promise<T | null> {
    const stats = await (folder === undefined ? statsOf(path) : this.#folderStats(folder));
    const known = this.#cache.get(path);
    // Of type T, since a cache is used with one `make` for a path.
    if (stats !== null && known?.version === versionOf(stats)) {
      return known.value as Promise<T | null>;
    }
    this.#cache.delete(path);
    const file = folder === undefined ? stats : await statsOf(path);
    if (file === null) return null;
    const value = make();
    // The folder is newer than its shared `stat`: the next read caches the value.
    if (stats === null) return value;
    const cached = { version: versionOf(stats), bytes: file.size, value };
    this.#cache.set(path, cached);
    const remove = (): void => {
      if (this.#cache.get(path) === cached) this.#cache.delete(path);
    };
    value.then((made) => made ?? remove(), remove);
    return value;
  }

  /** Caches the value of a file that was just written, so that it need not be read. `folder` as in `read`. */
  async add(path: string, value: unknown, folder = path): Promise<void> {
    // If a file cannot be accessed, the next read reports it.
    const ignored = (): null => null;
    const [file, stats] = await Promise.all(
      [path, folder].map((each) => statsOf(each).catch(ignored)),
    );
    if (!file || !stats) return;
    const cached = { version: versionOf(stats), bytes: file.size, value: Promise.resolve(value) };
    this.#cache.set(path, cached);
  }

  remove(path: string): void {
    this.#cache.delete(path);
  }

  #folderStats(folder: string): Promise<Stats | null> {
    const inFlight = this.#folders.get(folder);
    if (inFlight) return inFlight;
    const stats = statsOf(folder).finally(() => this.#folders.delete(folder));
    this.#folders.set(folder, stats);
    return stats;
  }
}

const statsOf = (path: string): Promise<Stats | null> => stat(path).catch(nullIfAbsent);

/** A changed file differs in inode, modification time or size; a folder that was replaced in inode or birth time. */
const versionOf = (stats: Stats): string =>
  stats.isDirectory()
    ? [stats.ino, stats.birthtimeMs].join(' ')
    : [stats.ino, stats.mtimeMs, stats.size].join(' ');
