import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppendOnceFile, type KeyOfLine } from './append-once-file.js';
import { createFileAtomically, nullIfAbsent, writeFileAtomically } from './atomic-file.js';
import { linesOfFile, readFileRange } from './file-range.js';
import { GrowingLines } from './growing-lines.js';
import type { FolderContents, LineLog, ObjectStorage } from './objects.js';
import type { PlacedLine } from './placed-lines.js';
import { versionOfFile } from './unchanged-files.js';

/** Objects as files of a folder, which every worker and the command line can access. A log is a file of lines. */
export function createFolderStorage(folder: string): ObjectStorage {
  const at = (path: string): string => join(folder, path);
  return {
    location: folder,
    read: (path) => readFile(at(path)).catch(nullIfAbsent),
    readRange: (path, start, end) => readFileRange(at(path), start, end),
    write: (path, content) => writeFileAtomically(at(path), content),
    create: (path, content) => createFileAtomically(at(path), content),
    remove: (path) => rm(at(path), { force: true }),
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
    removeFolder: (path) => rm(at(path), { recursive: true, force: true, maxRetries: 3 }),
    log: (path, keyOf) => fileLog(at(path), keyOf),
  };
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
