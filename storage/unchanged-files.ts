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
  /** Concurrent reads share one `stat` of a file or folder: all turns read the manifest, and a turn several of its files. */
  readonly #inFlight = new Map<string, Promise<Stats | null>>();

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
    const shared = await this.#sharedStats(folder ?? path);
    const known = this.#valueOf<T>(path, shared);
    if (known) return known;
    // The file may be newer than a shared `stat`.
    const file = await statsOf(path);
    if (file === null) {
      this.#cache.delete(path);
      return null;
    }
    const versioned = folder === undefined ? file : shared;
    // Another read may have cached it meanwhile.
    const added = this.#valueOf<T>(path, versioned);
    if (added) return added;
    const value = make();
    // The folder is newer than its shared `stat`: the next read caches the value.
    if (versioned === null) return value;
    const cached = { version: versionOf(versioned), bytes: file.size, value };
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

  /** Of type T, since a cache is used with one `make` for a path. */
  #valueOf<T>(path: string, stats: Stats | null): Promise<T | null> | null {
    const known = this.#cache.get(path);
    const isValid = stats !== null && known?.version === versionOf(stats);
    return isValid ? (known.value as Promise<T | null>) : null;
  }

  #sharedStats(path: string): Promise<Stats | null> {
    const inFlight = this.#inFlight.get(path);
    if (inFlight) return inFlight;
    const stats = statsOf(path).finally(() => this.#inFlight.delete(path));
    this.#inFlight.set(path, stats);
    return stats;
  }
}

const statsOf = (path: string): Promise<Stats | null> => stat(path).catch(nullIfAbsent);

/** A changed file differs in inode, modification time or size; a folder that was replaced in inode or birth time. */
const versionOf = (stats: Stats): string =>
  stats.isDirectory()
    ? [stats.ino, stats.birthtimeMs].join(' ')
    : [stats.ino, stats.mtimeMs, stats.size].join(' ');
