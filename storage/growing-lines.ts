import { open } from 'node:fs/promises';
import { nullIfAbsent } from './atomic-file.js';

/**
 * The lines of a file that other processes append to or replace. Each read parses only the lines that are new, because a
 * run that is watched for hours has tens of thousands of lines.
 */
export class GrowingLines<T> {
  /** The identity of the file that was read: inode and creation time. A file that replaces it may get the same inode. */
  #file = '';
  /** The length of the lines that were read, line breaks included. */
  #bytes = 0;
  #values: readonly T[] = [];
  #lastRead: Promise<unknown> = Promise.resolve();

  /** @param parse - may throw; `number` is the number of the line from 1, without empty lines */
  constructor(
    private readonly path: string,
    private readonly parse: (line: string, number: number) => T,
  ) {}

  /**
   * Empty if there is no file. A last line without a line break is still being written and left to the next read. Rejects
   * with the errors of node:fs and of `parse`.
   */
  read(): Promise<readonly T[]> {
    const reading = this.#lastRead.then(() => this.#read());
    this.#lastRead = reading.catch(() => undefined);
    return reading;
  }

  async #read(): Promise<readonly T[]> {
    const added = await this.#added();
    const whole = added.subarray(0, added.lastIndexOf('\n') + 1);
    const values = [...this.#values];
    for (const line of whole.toString('utf8').split('\n')) {
      if (line.trim() !== '') values.push(this.parse(line, values.length + 1));
    }
    this.#bytes += whole.length;
    this.#values = values;
    return values;
  }

  /** The bytes that were appended since the last read, or the whole file if it was replaced. */
  async #added(): Promise<Buffer> {
    const file = await open(this.path, 'r').catch(nullIfAbsent);
    if (file === null) {
      this.#startOver('');
      return Buffer.alloc(0);
    }
    try {
      const { ino, birthtimeMs, size } = await file.stat();
      const now = `${ino} ${birthtimeMs}`;
      if (now !== this.#file || size < this.#bytes) this.#startOver(now);
      const added = Buffer.alloc(size - this.#bytes);
      const { bytesRead } = await file.read(added, 0, added.length, this.#bytes);
      return added.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  #startOver(file: string): void {
    this.#file = file;
    this.#bytes = 0;
    this.#values = [];
  }
}
