import { statSync } from 'node:fs';
import { LRUCache } from 'lru-cache';

interface Held {
  /** The file as it was: a changed one differs in one of its parts. */
  readonly state: string;
  readonly bytes: number;
  readonly value: unknown;
}

/**
 * What was made of files, kept for as long as they stay as they are: to look whether a file has changed takes a
 * hundredth of what it takes to read and check it. Files changed by other processes are noticed like one's own.
 */
export class UnchangedFiles {
  readonly #held: LRUCache<string, Held>;
  /** What is being made at the moment: many may ask for it at once. */
  readonly #making = new Map<
    string,
    { readonly state: string; readonly value: Promise<unknown> }
  >();

  /** @param mostBytes - of all files together; those not asked for longest are forgotten first. @defaultValue no limit */
  constructor(mostBytes = Number.MAX_SAFE_INTEGER) {
    this.#held = new LRUCache({ maxSize: mostBytes, sizeCalculation: ({ bytes }) => bytes + 1 });
  }

  /** `make`'s value for the file at `path`; null where there is no file, or `make` finds none. Rejects with what node:fs throws. */
  async read<T>(path: string, make: () => Promise<T | null>): Promise<T | null> {
    const now = stateOf(path);
    const known = this.#held.get(path);
    // Made for this path by an earlier call of the same caller.
    if (now !== null && known?.state === now.state) return known.value as T;
    this.#held.delete(path);
    if (now === null) return null;
    const making = this.#making.get(path);
    // As before.
    if (making?.state === now.state) return making.value as Promise<T | null>;
    const value = this.#make(path, now, make);
    this.#making.set(path, { state: now.state, value });
    return value;
  }

  /** Takes over a value for the file at `path` that was just written, so that it need not be read back, where it can. */
  hold(path: string, value: unknown): void {
    try {
      const now = stateOf(path);
      if (now !== null) this.#held.set(path, { ...now, value });
    } catch {
      // Whoever reads it is told.
    }
  }

  /** Nobody will ask for the file soon. */
  forget(path: string): void {
    this.#held.delete(path);
  }

  async #make<T>(
    path: string,
    now: Pick<Held, 'state' | 'bytes'>,
    make: () => Promise<T | null>,
  ): Promise<T | null> {
    try {
      const value = await make();
      if (value !== null) this.#held.set(path, { ...now, value });
      return value;
    } finally {
      if (this.#making.get(path)?.state === now.state) this.#making.delete(path);
    }
  }
}

/**
 * Waits for the disk: a turn looks at a score of files, and each look by way of a thread computes for ten
 * times as long.
 */
function stateOf(path: string): Pick<Held, 'state' | 'bytes'> | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  return { state: [stats.ino, stats.mtimeMs, stats.size].join(' '), bytes: stats.size };
}
