import { LRUCache } from 'lru-cache';
import { stat } from 'node:fs/promises';
import { nullIfAbsent } from './atomic-file.js';
import type { ObjectVersion } from './objects.js';

interface CachedValue extends ObjectVersion {
  readonly value: Promise<unknown>;
}

/** Resolves to null if there is no file. */
type VersionOf = (path: string) => Promise<ObjectVersion | null>;

/** A changed file differs in inode, modification time or size. Rejects with the errors of node:fs. */
export const versionOfFile: VersionOf = async (path) => {
  const stats = await stat(path).catch(nullIfAbsent);
  if (stats === null) return null;
  const { ino, mtimeMs, size } = stats;
  return { version: [ino, mtimeMs, size].join(' '), bytes: size, storedAtMs: mtimeMs };
};

/** A file that nobody has asked for in this time is forgotten: its run has ended. */
const unusedMs = 60 * 60_000;

interface UnchangedFilesOptions {
  /** Of all files together; the least recently used are evicted. @defaultValue no limit */
  readonly maxBytes?: number;
  /** @defaultValue that of a local file */
  readonly versionOf?: VersionOf;
  /** How long the version of a file that is there serves who asks later, in milliseconds. @defaultValue 0 */
  readonly versionForMs?: number;
}

/** A cache of values made from files. A value is valid until its file changes, through this process or another. */
export class UnchangedFiles {
  readonly #cache: LRUCache<string, CachedValue>;
  /** Concurrent reads share one question about a file: all turns in flight read the manifest. Later ones do for `versionForMs`. */
  readonly #asked = new Map<string, Promise<ObjectVersion | null>>();
  readonly #versionOf: VersionOf;
  readonly #versionForMs: number;

  constructor({
    maxBytes = Number.MAX_SAFE_INTEGER,
    versionOf = versionOfFile,
    versionForMs = 0,
  }: UnchangedFilesOptions = {}) {
    this.#versionOf = versionOf;
    this.#versionForMs = versionForMs;
    this.#cache = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => bytes + 1,
      ttl: unusedMs,
      perf: { now: () => performance.now() },
      updateAgeOnGet: true,
    });
  }

  /**
   * The value that `make` makes of the file; null if there is no file, or if `make` returns null. Rejects with the errors
   * of `versionOf` and `make`.
   */
  async read<T>(path: string, make: () => Promise<T | null>): Promise<T | null> {
    const { isShared, version: asked } = this.#sharedVersion(path);
    const shared = await asked;
    const known = this.#valueOf<T>(path, shared);
    if (known) return known;
    // The file may be newer than an answer that was asked for earlier.
    const file = isShared ? await this.#versionOf(path) : shared;
    if (file === null) {
      this.#cache.delete(path);
      return null;
    }
    // Another read may have cached it meanwhile.
    const added = this.#valueOf<T>(path, file);
    if (added) return added;
    const value = make();
    const cached = { ...file, value };
    this.#cache.purgeStale();
    this.#cache.set(path, cached);
    const remove = (): void => {
      if (this.#cache.get(path) === cached) this.#cache.delete(path);
    };
    value.then((made) => made ?? remove(), remove);
    return value;
  }

  /** The version of a file, as `read` asks for it; null if there is no file. */
  version(path: string): Promise<ObjectVersion | null> {
    return this.#sharedVersion(path).version;
  }

  /** The version of which a value is cached, without asking whether it is still the present one; null if there is none. */
  lastVersion(path: string): ObjectVersion | null {
    return this.#cache.get(path) ?? null;
  }

  remove(path: string): void {
    this.#cache.delete(path);
    this.#asked.delete(path);
  }

  /** Of type T, since a cache is used with one `make` for a path. */
  #valueOf<T>(path: string, file: ObjectVersion | null): Promise<T | null> | null {
    const known = this.#cache.get(path);
    const isValid = file !== null && known?.version === file.version;
    return isValid ? (known.value as Promise<T | null>) : null;
  }

  #sharedVersion(path: string): {
    readonly isShared: boolean;
    readonly version: Promise<ObjectVersion | null>;
  } {
    const asked = this.#asked.get(path);
    if (asked) return { isShared: true, version: asked };
    const version = this.#versionOf(path);
    const forget = (): void => {
      if (this.#asked.get(path) === version) this.#asked.delete(path);
    };
    this.#asked.set(path, version);
    version.then((found) => {
      if (found === null || this.#versionForMs === 0) forget();
      else setTimeout(forget, this.#versionForMs).unref();
    }, forget);
    return { isShared: false, version };
  }
}

/** How much of what every turn of a question reads again stays in memory. */
const cachedBytes = 16 * 2 ** 20;
/** What a value takes beside its text: objects, keys, and its place in the cache. It is most of what a short question takes. */
const overheadBytes = 1024;

/** Values that were parsed from short texts. The least recently used make room. */
export class ParsedCache<Key extends string | number, Value extends object> {
  readonly #kept = new LRUCache<Key, Value>({ maxSize: cachedBytes });

  get(key: Key): Value | undefined {
    return this.#kept.get(key);
  }

  /** @param textBytes - of the text that the value was parsed from */
  set(key: Key, value: Value, textBytes: number): void {
    this.#kept.set(key, value, { size: textBytes + overheadBytes });
  }
}
