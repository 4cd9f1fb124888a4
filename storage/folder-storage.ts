import {
  constants,
  copyFile,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  open,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppendOnceFile, type KeyOfLine } from './append-once-file.js';
import {
  createFileAtomically,
  inFolder,
  nullIfAbsent,
  placeFileAtomically,
  writeFileAtomically,
} from './atomic-file.js';
import type { FolderContents, LineLog, ObjectStorage } from './objects.js';
import { linesOfFile, readFileRange, type PlacedLine } from './placed-lines.js';
import { versionOfFile } from './unchanged-files.js';

/** In the folder of a storage: files that are being made. What is killed leaves them there, and a worker that starts removes old ones. */
export const draftsFolder = 'drafts';

/** Objects as files of a folder, which every worker and the command line can access. A log is a file of lines. */
export function createFolderStorage(folder: string): ObjectStorage {
  const at = (path: string): string => join(folder, path);
  const drafts = at(draftsFolder);
  return {
    location: folder,
    read: (path) => readFile(at(path)).catch(nullIfAbsent),
    readRange: (path, start, end) => readFileRange(at(path), start, end),
    write: (path, content) => writeFileAtomically(at(path), content, drafts),
    create: (path, content) => createFileAtomically(at(path), content, drafts),
    remove: (path) => rm(at(path), { force: true }),
    removeFolder: async (path) => {
      await rm(at(path), { force: true, recursive: true, maxRetries: 3 });
      await removeEmpty(folder, dirname(at(path)));
    },
    upload: async (path, file, { move } = { move: false }) => {
      if (move && (await isMoved(file, at(path)))) return;
      await placeFileAtomically(at(path), (draft) => copy(file, draft), drafts);
      if (move) await rm(file, { force: true });
    },
    download: async (path, file) => {
      if ((await versionOfFile(at(path))) === null) return false;
      await copy(at(path), file);
      return true;
    },
    fileOf: at,
    list: async (path) => {
      const entries = await readdir(at(path), { withFileTypes: true }).catch(nullIfAbsent);
      return (entries ?? []).map((each) => (each.isDirectory() ? `${each.name}/` : each.name));
    },
    version: (path) => versionOfFile(at(path)),
    storedAtMs: async (path) => {
      const stats = await stat(at(path)).catch(nullIfAbsent);
      return stats && stats.mtimeMs;
    },
    contents: (path) => contentsOf(at(path)),
    log: (path, keyOf) => fileLog(at(path), keyOf),
  };
}

/** Removes a folder, and those in which it is, as long as nothing else is in them. An object store has no empty folders. */
async function removeEmpty(root: string, folder: string): Promise<void> {
  if (!folder.startsWith(root) || folder === root) return;
  try {
    await rmdir(folder);
  } catch {
    return; // Something is in it, or is being written into it at this moment.
  }
  await removeEmpty(root, dirname(folder));
}

/** A file system that supports clones needs no space for the copy. */
const copy = (from: string, to: string): Promise<void> =>
  copyFile(from, to, constants.COPYFILE_FICLONE);

/** False where the file is on another file system. */
async function isMoved(from: string, to: string): Promise<boolean> {
  try {
    await inFolder(to, () => rename(from, to));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EXDEV') return false; // node:fs throws nothing else.
    throw error;
  }
}

function fileLog(path: string, keyOf: KeyOfLine): LineLog {
  const file = new AppendOnceFile(path, keyOf);
  return {
    append: (lines, isCurrent) => file.append(lines, isCurrent),
    remove: (isRemoved) => file.remove(isRemoved),
    text: () => readFile(path, 'utf8').catch(nullIfAbsent),
    batches: async function* () {
      const bytes = (await versionOfFile(path))?.bytes ?? 0;
      for await (const lines of linesOfFile(path, 0, bytes)) yield wholeLines(lines);
    },
    tail: async (wanted) => {
      const bytes = (await versionOfFile(path))?.bytes ?? 0;
      const start = Math.max(0, bytes - wanted);
      const lines: string[] = [];
      for await (const some of linesOfFile(path, start, bytes)) lines.push(...wholeLines(some));
      // The first one begins before what was read.
      return start === 0 ? { lines, isAll: true } : { lines: lines.slice(1), isAll: false };
    },
    replace: (text) => file.replace(text),
    reader: (parse) => new GrowingLines(path, parse),
  };
}

/** The last line may still be being written. */
const wholeLines = (lines: readonly PlacedLine[]): readonly string[] =>
  lines.filter(({ isWhole }) => isWhole).map(({ text }) => text);

/** One file after another: of a large run they are a million. */
async function contentsOf(folder: string): Promise<FolderContents> {
  let objects = 0;
  let bytes = 0;
  for (const entry of (await readdir(folder, { withFileTypes: true }).catch(nullIfAbsent)) ?? []) {
    const path = join(folder, entry.name);
    const inside = entry.isDirectory()
      ? await contentsOf(path)
      : { objects: 1, bytes: (await stat(path).catch(nullIfAbsent))?.size ?? 0 };
    objects += inside.objects;
    bytes += inside.bytes;
  }
  return { objects, bytes };
}

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
