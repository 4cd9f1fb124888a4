import { appendFile, readFile, stat, truncate } from 'node:fs/promises';
import { writeFileAtomically } from './atomic-file.js';

export interface KeyedLine {
  readonly key: string;
  /** Without the newline. */
  readonly line: string;
}

interface Contents {
  readonly bytes: number;
  readonly keys: Set<string>;
}

/**
 * A file of lines, each with a key, that takes every key once. What a crash left of a half-written last
 * line is cut off first. One process at a time writes; its appends wait for one another and are remembered,
 * so that a long run does not read the file again for every line.
 */
export class AppendOnceFile {
  #known: Contents | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(
    private readonly path: string,
    private readonly keyOf: (line: string) => string,
  ) {}

  append(lines: readonly KeyedLine[]): Promise<void> {
    const appending = this.#last.then(() => this.#append(lines));
    this.#last = appending.catch(() => undefined);
    return appending;
  }

  /** Takes out the lines of `keys`, so that each can be taken once more. A reader sees the file before or after. */
  remove(keys: readonly string[]): Promise<void> {
    const removing = this.#last.then(() => this.#remove(new Set(keys)));
    this.#last = removing.catch(() => undefined);
    return removing;
  }

  async #remove(gone: ReadonlySet<string>): Promise<void> {
    this.#known = null;
    const { keys } = await this.#contents();
    if (![...gone].some((key) => keys.has(key))) return;
    const lines = (await readFile(this.path, 'utf8')).split('\n').filter((line) => line !== '');
    const kept = lines.filter((line) => !gone.has(this.keyOf(line)));
    this.#known = null;
    await writeFileAtomically(this.path, kept.map((line) => `${line}\n`).join(''));
  }

  async #append(lines: readonly KeyedLine[]): Promise<void> {
    const { keys, bytes } = await this.#contents();
    const missing = lines.filter(({ key }) => !keys.has(key));
    if (missing.length === 0) return;
    const text = missing.map(({ line }) => `${line}\n`).join('');
    // Forgotten until the append has succeeded: after a failure the file is read again.
    this.#known = null;
    await appendFile(this.path, text);
    for (const { key } of missing) keys.add(key);
    this.#known = { bytes: bytes + Buffer.byteLength(text), keys };
  }

  async #contents(): Promise<Contents> {
    const bytes = await sizeOf(this.path);
    if (bytes === this.#known?.bytes) return this.#known;
    if (bytes === 0) return { bytes, keys: new Set() };
    const text = await readFile(this.path, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole !== text) await truncate(this.path, Buffer.byteLength(whole));
    const lines = whole.split('\n').filter((line) => line !== '');
    return { bytes: Buffer.byteLength(whole), keys: new Set(lines.map(this.keyOf)) };
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
