import { appendFile, stat, truncate } from 'node:fs/promises';
import { inFolder, isAbsence, writeFileAtomically } from './atomic-file.js';
import { linesOfFile } from './file-range.js';
import { KeyTable } from './key-table.js';

export interface KeyedLine {
  readonly key: string;
  /** Without the newline. */
  readonly line: string;
}

/** The key of a line that is stored; null for a damaged line, which the next append removes. */
export type KeyOfLine = (line: string) => string | null;

/** Tells versions of the file apart. The size alone does not: `remove` may replace the file by one of the same size. */
interface Version {
  readonly bytes: number;
  readonly inode: number;
}

interface Contents extends Version {
  readonly keys: KeyTable;
}

/**
 * A file of lines, each with a key, to which every key is appended once. It cuts off an incomplete last line, which a crash
 * may have left, and removes damaged lines. Only one process may write at a time. Its writes wait for one another, and it
 * keeps the keys in memory, so that it does not read the file again for every line.
 */
export class AppendOnceFile {
  #known: Contents | null = null;
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(
    private readonly path: string,
    private readonly keyOf: KeyOfLine,
  ) {}

  append(lines: readonly KeyedLine[]): Promise<void> {
    return this.#afterLastWrite(() => this.#append(lines));
  }

  /** Removes the lines of `keys`, so that they can be appended again. A reader sees the file before or after. */
  remove(keys: readonly string[]): Promise<void> {
    return this.#afterLastWrite(() => this.#remove(new Set(keys)));
  }

  #afterLastWrite(write: () => Promise<void>): Promise<void> {
    const writing = this.#lastWrite.then(write);
    this.#lastWrite = writing.catch(() => undefined);
    return writing;
  }

  async #remove(removed: ReadonlySet<string>): Promise<void> {
    const { keys, bytes } = await this.#contents();
    if (![...removed].some((key) => keys.has(key))) return;
    await this.#rewrite(bytes, (key) => !removed.has(key));
  }

  async #append(lines: readonly KeyedLine[]): Promise<void> {
    const { keys, bytes, inode } = await this.#contents();
    const missing = lines.filter(({ key }) => !keys.has(key));
    if (missing.length === 0) return;
    const text = missing.map(({ line }) => `${line}\n`).join('');
    // Unknown until the append has succeeded: after a failure the file is read again.
    this.#known = null;
    await inFolder(this.path, () => appendFile(this.path, text));
    for (const { key } of missing) keys.add(key);
    // The inode of a file that this append has created is not known yet.
    if (bytes > 0) this.#known = { bytes: bytes + Buffer.byteLength(text), inode, keys };
  }

  async #contents(): Promise<Contents> {
    const { bytes, inode } = await versionOf(this.path);
    if (bytes === this.#known?.bytes && inode === this.#known.inode) return this.#known;
    const keys = new KeyTable();
    let isDamaged = false;
    let wholeBytes = bytes;
    for await (const lines of linesOfFile(this.path, 0, bytes)) {
      for (const { text, start, isWhole } of lines) {
        const key = isWhole ? this.keyOf(text) : '';
        if (!isWhole) wholeBytes = start;
        else if (key === null) isDamaged = true;
        else keys.add(key);
      }
    }
    if (wholeBytes < bytes) await truncate(this.path, wholeBytes);
    this.#known = isDamaged
      ? await this.#rewrite(wholeBytes, () => true)
      : { bytes: wholeBytes, inode, keys };
    return this.#known;
  }

  /** Replaces the file by one without damaged lines, and without those whose keys are not kept. */
  async #rewrite(bytes: number, isKept: (key: string) => boolean): Promise<Contents> {
    this.#known = null;
    const keys = new KeyTable();
    const { path, keyOf } = this;
    async function* kept(): AsyncGenerator<string, void> {
      for await (const lines of linesOfFile(path, 0, bytes)) {
        const some = lines.filter(({ text }) => {
          const key = keyOf(text);
          if (key === null || !isKept(key)) return false;
          keys.add(key);
          return true;
        });
        yield some.map(({ text }) => `${text}\n`).join('');
      }
    }
    await writeFileAtomically(path, kept());
    this.#known = { ...(await versionOf(path)), keys };
    return this.#known;
  }
}

async function versionOf(path: string): Promise<Version> {
  try {
    const { size, ino } = await stat(path);
    return { bytes: size, inode: ino };
  } catch (error) {
    if (isAbsence(error)) return { bytes: 0, inode: 0 };
    throw error;
  }
}
