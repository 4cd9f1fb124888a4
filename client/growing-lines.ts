import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isAbsence } from './system-error.js';

/**
 * The lines of a file that others append to, or replace by another. Those that were read once are not read again: of a
 * run that is watched for hours there are tens of thousands.
 */
export class GrowingLines<T> {
  /** Which file was read: one that replaces it may get its number, but not when it was made. */
  #file = '';
  /** Of the lines below, with their breaks. */
  #bytes = 0;
  #values: readonly T[] = [];

  /**
   * @param parse - may throw; `number` counts from 1, without empty lines
   * @param isAppendedTo - a last line without its break is then left to the next time
   */
  constructor(
    private readonly path: string,
    private readonly parse: (line: string, number: number) => T,
    private readonly isAppendedTo = true,
  ) {}

  /** Empty where there is no file. Throws what node:fs and `parse` throw. */
  read(): readonly T[] {
    const added = this.#added();
    const whole = added.subarray(0, added.lastIndexOf('\n') + 1);
    const values = [...this.#values];
    for (const line of linesIn(whole)) values.push(this.parse(line, values.length + 1));
    this.#bytes += whole.length;
    this.#values = values;
    if (this.isAppendedTo) return values;
    const last = linesIn(added.subarray(whole.length));
    return [...values, ...last.map((line) => this.parse(line, values.length + 1))];
  }

  /** What came to the file since it was read; all of it where another stands there. */
  #added(): Buffer {
    const file = openIfThere(this.path);
    if (file === null) {
      this.#startOver('');
      return Buffer.alloc(0);
    }
    try {
      const { ino, birthtimeMs, size } = fstatSync(file);
      const now = `${ino} ${birthtimeMs}`;
      if (now !== this.#file || size < this.#bytes) this.#startOver(now);
      const added = Buffer.alloc(size - this.#bytes);
      const length = readSync(file, added, 0, added.length, this.#bytes);
      return added.subarray(0, length);
    } finally {
      closeSync(file);
    }
  }

  #startOver(file: string): void {
    this.#file = file;
    this.#bytes = 0;
    this.#values = [];
  }
}

const linesIn = (text: Buffer): readonly string[] =>
  text
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
}
