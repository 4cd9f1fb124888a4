import { appendFile, readFile, stat, truncate } from 'node:fs/promises';
import { writeFileAtomically } from './atomic-file.js';

export interface KeyedLine {
  readonly key: string;
  /** Without the newline. */
  readonly line: string;
}

/** Another file of the same size may stand there after `remove`. */
interface Version {
  readonly bytes: number;
  readonly inode: number;
}

interface Contents extends Version {
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
    const { keys, bytes, inode } = await this.#contents();
    const missing = lines.filter(({ key }) => !keys.has(key));
    if (missing.length === 0) return;
    const text = missing.map(({ line }) => `${line}\n`).join('');
    // Forgotten until the append has succeeded: after a failure the file is read again.
    this.#known = null;
    await appendFile(this.path, text);
    for (const { key } of missing) keys.add(key);
    // Which file the first append has made is not known yet.
    if (bytes > 0) this.#known = { bytes: bytes + Buffer.byteLength(text), inode, keys };
  }

  async #contents(): Promise<Contents> {
    const { bytes, inode } = await versionOf(this.path);
    if (bytes === this.#known?.bytes && inode === this.#known.inode) return this.#known;
    if (bytes === 0) return { bytes, inode, keys: new Set() };
    const text = await readFile(this.path, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole !== text) await truncate(this.path, Buffer.byteLength(whole));
    const lines = whole.split('\n').filter((line) => line !== '');
    return { bytes: Buffer.byteLength(whole), inode, keys: new Set(lines.map(this.keyOf)) };
  }
}

async function versionOf(path: string): Promise<Version> {
  try {
    const { size, ino } = await stat(path);
    return { bytes: size, inode: ino };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { bytes: 0, inode: 0 };
    throw error;
  }
}
