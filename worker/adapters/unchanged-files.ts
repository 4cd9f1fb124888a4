import { statSync } from 'node:fs';

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
  /** In the order in which they were last asked for. */
  readonly #held = new Map<string, Held>();
  /** What is being made at the moment: many may ask for it at once. */
  readonly #making = new Map<
    string,
    { readonly state: string; readonly value: Promise<unknown> }
  >();
  #bytes = 0;

  /** @param mostBytes - of all files together; those not asked for longest are forgotten first. */
  constructor(private readonly mostBytes: number) {}

  /** `make`'s value for the file at `path`; null where there is no file, or `make` finds none. Rejects with what node:fs throws. */
  async read<T>(path: string, make: () => Promise<T | null>): Promise<T | null> {
    const now = stateOf(path);
    const known = this.#held.get(path);
    this.#forget(path);
    if (now === null) return null;
    if (known?.state === now.state) {
      this.#keep(path, known);
      // Made for this path by an earlier call of the same caller.
      return known.value as T;
    }
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
      if (now !== null) this.#keep(path, { ...now, value });
    } catch {
      // Whoever reads it is told.
    }
  }

  async #make<T>(
    path: string,
    now: Pick<Held, 'state' | 'bytes'>,
    make: () => Promise<T | null>,
  ): Promise<T | null> {
    try {
      const value = await make();
      if (value !== null) this.#keep(path, { ...now, value });
      return value;
    } finally {
      if (this.#making.get(path)?.state === now.state) this.#making.delete(path);
    }
  }

  #keep(path: string, held: Held): void {
    this.#forget(path);
    this.#held.set(path, held);
    this.#bytes += held.bytes;
    for (const [oldest] of this.#held) {
      if (this.#bytes <= this.mostBytes) return;
      this.#forget(oldest);
    }
  }

  #forget(path: string): void {
    this.#bytes -= this.#held.get(path)?.bytes ?? 0;
    this.#held.delete(path);
  }
}

/**
 * Waits for the disk, unlike the rest: a turn looks at a score of files, and each look by way of a thread computes for ten
 * times as long.
 */
function stateOf(path: string): Pick<Held, 'state' | 'bytes'> | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  return { state: [stats.ino, stats.mtimeMs, stats.size].join(' '), bytes: stats.size };
}
