import { stat } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';

interface Held {
  /** Inode, time of change and size: a changed file differs in one of them. */
  readonly version: string;
  readonly bytes: number;
  readonly value: Promise<unknown>;
}

/** Values made from files, kept until the file changes, by this process or another. */
export class UnchangedFiles {
  readonly #held: LRUCache<string, Held>;

  /** @param mostBytes - of all files together; the least recently used are forgotten first. @defaultValue no limit */
  constructor(mostBytes = Number.MAX_SAFE_INTEGER) {
    this.#held = new LRUCache({ maxSize: mostBytes, sizeCalculation: ({ bytes }) => bytes + 1 });
  }

  /** `make`'s value for the file at `path`; null where there is no file, or `make` finds none. Rejects with what node:fs throws. */
  async read<T>(path: string, make: () => Promise<T | null>): Promise<T | null> {
    const now = await versionOf(path);
    const known = this.#held.get(path);
    // Made for this path by an earlier call of the same caller.
    if (now !== null && known?.version === now.version) return known.value as Promise<T | null>;
    this.#held.delete(path);
    if (now === null) return null;
    const value = make();
    const held = { ...now, value };
    this.#held.set(path, held);
    const forget = (): void => {
      if (this.#held.get(path) === held) this.#held.delete(path);
    };
    value.then((found) => found ?? forget(), forget);
    return value;
  }

  /** Keeps the value of a file that was just written, so that it need not be read back. */
  async hold(path: string, value: unknown): Promise<void> {
    // A file that cannot be looked at is read by whoever needs it.
    const now = await versionOf(path).catch(() => null);
    if (now !== null) this.#held.set(path, { ...now, value: Promise.resolve(value) });
  }

  /** Frees what no one will ask for soon. */
  forget(path: string): void {
    this.#held.delete(path);
  }
}

async function versionOf(path: string): Promise<Pick<Held, 'version' | 'bytes'> | null> {
  try {
    const { ino, mtimeMs, size } = await stat(path);
    return { version: [ino, mtimeMs, size].join(' '), bytes: size };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
