import type { Stats } from 'node:fs';
import { appendFile, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { jsonIn } from '../domain/formats/json.js';
import { createFileAtomically, draftOf, inFolder, nullIfAbsent } from './atomic-file.js';
import { linesOfHandle, type PlacedLine } from './placed-lines.js';
import { KeyTable } from './key-table.js';

export interface KeyedLine {
  readonly key: string;
  /** Without the newline. */
  readonly line: string;
}

/** The key of a line that is stored; null for a damaged line, which the next append removes. */
export type KeyOfLine = (line: string) => string | null;

/** Whether a line may still be appended. */
export type IsCurrent = (line: KeyedLine) => Promise<boolean>;

/** A state of the file. A file that replaces another is another generation. */
interface Version {
  readonly generation: string;
  readonly bytes: number;
}

interface Contents extends Version {
  readonly keys: KeyTable;
  /** The bytes of all whole lines. What follows them is an incomplete line, which a crash has left. */
  readonly wholeBytes: number;
}

/**
 * What follows a version: lines behind its last one, or a file in its place. It is created once for each version, under a
 * name of its own, before it is carried out, and every process carries it out in the same way. So a process that was
 * frozen in between changes nothing when it goes on.
 */
const nextSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('lines'), at: z.int(), text: z.string() }),
  z.object({ kind: z.literal('file'), draft: z.string() }),
]);
type Next = z.infer<typeof nextSchema>;

/**
 * A file of lines, each with a key, to which every key is appended once, whoever appends. It writes over an incomplete last
 * line, which a crash may have left, and removes damaged lines. The keys stay in memory, so that the file is not read again
 * for every line.
 */
export class AppendOnceFile {
  #known: Contents | null = null;
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(
    private readonly path: string,
    private readonly keyOf: KeyOfLine,
  ) {}

  /** @param isCurrent - asked of each missing line, after the version that it would follow was read */
  append(lines: readonly KeyedLine[], isCurrent?: IsCurrent): Promise<void> {
    return this.#afterLastWrite(() => this.#append(lines, isCurrent));
  }

  /**
   * Removes lines, so that their keys can be appended again. Whatever another process was about to append waits for a new
   * look at the file, also if there is no such line. A reader sees the file before or after.
   */
  remove(isRemoved: (line: string) => boolean): Promise<void> {
    return this.#afterLastWrite(async () => {
      const isKept = (line: string): boolean => !isRemoved(line);
      while (!(await this.#rewrite((lines) => keptParts(lines, isKept)))) this.#known = null;
    });
  }

  /** Replaces all lines. */
  replace(text: string): Promise<void> {
    return this.#afterLastWrite(async () => {
      await this.#createEmpty();
      const ended = text === '' || text.endsWith('\n') ? text : `${text}\n`;
      while (!(await this.#rewrite(() => ended))) this.#known = null;
    });
  }

  #afterLastWrite(write: () => Promise<void>): Promise<void> {
    const writing = this.#lastWrite.then(write);
    this.#lastWrite = writing.catch(() => undefined);
    return writing;
  }

  async #append(
    lines: readonly KeyedLine[],
    isCurrent: IsCurrent = () => Promise.resolve(true),
  ): Promise<void> {
    for (;;) {
      const known = await this.#contents();
      const absent = lines.filter(({ key }) => known?.keys.has(key) !== true);
      const current = await Promise.all(absent.map(isCurrent));
      const missing = absent.filter((_, index) => current[index]);
      if (missing.length === 0) return;
      if (known === null) {
        await this.#createEmpty();
        continue;
      }
      const { wholeBytes: at, bytes } = known;
      // Longer than an incomplete line: the length tells the versions apart.
      const text = missing
        .map(({ line }) => line)
        .join('\n')
        .concat(' '.repeat(bytes - at), '\n');
      // Unknown until the append has succeeded: after a failure the file is read again.
      this.#known = null;
      if (!(await this.#goOn(known, { kind: 'lines', at, text }))) continue;
      for (const { key } of missing) known.keys.add(key);
      const end = at + Buffer.byteLength(text);
      this.#known = { ...known, bytes: end, wholeBytes: end };
    }
  }

  /** False where another process was faster, and if it has to be tried again. */
  async #rewrite(
    change: (lines: AsyncIterable<readonly PlacedLine[]>) => string | AsyncIterable<string>,
  ): Promise<boolean> {
    const draft = draftOf(this.path);
    try {
      const version = await readVersion(this.path, async (found, lines) => {
        await writeFile(draft, change(lines));
        return found;
      });
      if (version === null) return true;
      this.#known = null;
      return await this.#goOn(version, { kind: 'file', draft: basename(draft) });
    } finally {
      // There still if it failed, or if another process was faster.
      await rm(draft, { force: true });
    }
  }

  #createEmpty(): Promise<void> {
    return inFolder(this.path, () => appendFile(this.path, ''));
  }

  async #contents(): Promise<Contents | null> {
    for (;;) {
      const stats = await stat(this.path).catch(nullIfAbsent);
      const known = this.#known;
      if (stats && known?.generation === generationOf(stats) && known.bytes === stats.size) {
        return known;
      }
      const found =
        stats && (await readVersion(this.path, (version, lines) => this.#read(version, lines)));
      if (found === null) return null;
      if (!found.isDamaged) return found.contents;
      await this.#rewrite((lines) => keptParts(lines, (line) => this.keyOf(line) !== null));
    }
  }

  async #read(
    version: Version,
    lines: AsyncIterable<readonly PlacedLine[]>,
  ): Promise<{ readonly contents: Contents; readonly isDamaged: boolean }> {
    const keys = new KeyTable();
    let isDamaged = false;
    let wholeBytes = version.bytes;
    for await (const some of lines) {
      for (const { text, start, isWhole } of some) {
        const key = isWhole ? this.keyOf(text) : null;
        if (!isWhole) wholeBytes = start;
        else if (key === null) isDamaged = true;
        else keys.add(key);
      }
    }
    return { contents: { ...version, keys, wholeBytes }, isDamaged };
  }

  /** Carries out what follows a version. False if that is not `next`, or if it is not known whether it is. */
  async #goOn(version: Version, next: Next): Promise<boolean> {
    const name = `${this.path}.${version.generation}.${version.bytes}.next`;
    let isFirst = false;
    try {
      isFirst = await createFileAtomically(name, JSON.stringify(next));
      const settled = isFirst ? next : await readNext(name);
      const isDone = settled !== null && (await this.#carryOut(version, settled));
      // Whoever creates it once more sees that the file has another version.
      await rm(name, { force: true });
      return isFirst && isDone;
    } catch (error) {
      const isFile = isFirst && next.kind === 'file';
      // First the draft: without it nobody can put the file in place later.
      if (isFile) await rm(join(dirname(this.path), next.draft), { force: true });
      // Lines of which none was written stay settled, and the next append begins with them: another process may be about to
      // write them.
      if (isFile || !(await this.#is(version))) await rm(name, { force: true });
      throw error;
    }
  }

  async #is({ generation, bytes }: Version): Promise<boolean> {
    const stats = await stat(this.path).catch(nullIfAbsent);
    return stats !== null && generationOf(stats) === generation && stats.size === bytes;
  }

  /** False if the file has another version meanwhile. */
  async #carryOut({ generation, bytes }: Version, next: Next): Promise<boolean> {
    // Not for appending: whoever does it again writes the same in the same place, and a file that was replaced is no
    // longer under its name.
    const file = await open(this.path, 'r+').catch(nullIfAbsent);
    if (file === null) return false;
    try {
      const stats = await file.stat();
      if (generationOf(stats) !== generation || stats.size !== bytes) return false;
      if (next.kind === 'file') {
        // Once only, since the draft is gone afterwards.
        await rename(join(dirname(this.path), next.draft), this.path).catch(nullIfAbsent);
        return true;
      }
      const text = Buffer.from(next.text);
      for (let done = 0; done < text.length;) {
        done += (await file.write(text, done, text.length - done, next.at + done)).bytesWritten;
      }
      return true;
    } finally {
      await file.close();
    }
  }
}

/** The lines that are kept, in the parts in which they are read. An incomplete last line is not. */
async function* keptParts(
  lines: AsyncIterable<readonly PlacedLine[]>,
  isKept: (line: string) => boolean,
): AsyncGenerator<string, void> {
  for await (const some of lines) {
    const kept = some.filter(({ text, isWhole }) => isWhole && isKept(text));
    yield kept.map(({ text }) => `${text}\n`).join('');
  }
}

const generationOf = ({ ino, birthtimeMs }: Pick<Stats, 'ino' | 'birthtimeMs'>): string =>
  `${ino}-${birthtimeMs}`;

/** Null if there is no file. The lines are those of the version, even if another one replaces it meanwhile. */
async function readVersion<T>(
  path: string,
  use: (version: Version, lines: AsyncIterable<readonly PlacedLine[]>) => Promise<T>,
): Promise<T | null> {
  const file = await open(path, 'r').catch(nullIfAbsent);
  if (file === null) return null;
  try {
    const stats = await file.stat();
    const version = { generation: generationOf(stats), bytes: stats.size };
    return await use(version, linesOfHandle(file, 0, stats.size));
  } finally {
    await file.close();
  }
}

/** Null if it is gone: the process that created it has carried it out. */
async function readNext(path: string): Promise<Next | null> {
  const text = await readFile(path, 'utf8').catch(nullIfAbsent);
  return text === null ? null : nextSchema.parse(jsonIn(text));
}
