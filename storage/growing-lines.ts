import { open, type FileHandle } from 'node:fs/promises';

/**
 * The lines of a file that others append to, or replace by another. Lines that were read once are not read again: a run
 * that is watched for hours has tens of thousands.
 */
export class GrowingLines<T> {
  /** Which file was read: one that replaces it may get its inode, but not its time of birth. */
  #file = '';
  /** Of the lines below, with their breaks. */
  #bytes = 0;
  #values: readonly T[] = [];
  #last: Promise<unknown> = Promise.resolve();

  /** @param parse - may throw; `number` counts from 1, without empty lines */
  constructor(
    private readonly path: string,
    private readonly parse: (line: string, number: number) => T,
  ) {}

  /**
   * Empty where there is no file. A last line without its break is being written: it is left to the next read. Rejects
   * with what node:fs and `parse` throw.
   */
  read(): Promise<readonly T[]> {
    const reading = this.#last.then(() => this.#read());
    this.#last = reading.catch(() => undefined);
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

  /** What was appended since the last read; the whole file where another stands there. */
  async #added(): Promise<Buffer> {
    const file = await openIfThere(this.path);
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

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
}

/** There is no such file, or what should be its folder is a file. */
export const isAbsence = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ENOENT' || error.code === 'ENOTDIR');
