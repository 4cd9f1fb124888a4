import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppendOnceFile, type KeyOfLine } from './append-once-file.js';
import { createFileAtomically, nullIfAbsent, writeFileAtomically } from './atomic-file.js';
import { GrowingLines } from './growing-lines.js';
import type { LineLog, ObjectStorage } from './objects.js';
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
    log: (path, keyOf) => fileLog(at(path), keyOf),
  };
}

/** Null if there is no such file. */
async function readFileRange(path: string, start: number, end: number): Promise<Uint8Array | null> {
  const file = await open(path, 'r').catch(nullIfAbsent);
  if (file === null) return null;
  try {
    const bytes = Buffer.alloc(end - start);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function fileLog(path: string, keyOf: KeyOfLine): LineLog {
  const file = new AppendOnceFile(path, keyOf);
  return {
    append: (lines) => file.append(lines),
    remove: (keys) => file.remove(keys),
    text: () => readFile(path, 'utf8').catch(nullIfAbsent),
    replace: (text) => writeFileAtomically(path, text),
    reader: (parse) => new GrowingLines(path, parse),
  };
}
