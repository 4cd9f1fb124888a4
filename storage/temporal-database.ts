import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { nullIfAbsent } from './atomic-file.js';

/** The file of the embedded Temporal server, in SQLite's format. Beside it lies what is not yet written into it, `-wal`. */
export const temporalDatabase = (home: string): string => join(home, 'temporal', 'temporal.db');

export interface DatabaseUse {
  /** On the disk, with what is not yet written into the file. */
  readonly bytes: number;
  /** Of these, what held something that was deleted, and can hold something new. */
  readonly freeBytes: number;
}

/** Where the header of a SQLite file has what is asked for, as big-endian numbers. */
const headerBytes = 100;
const at = { pageSize: 16, freePages: 36 };

/** As of the last time that the server wrote into the file, which it does every few megabytes; null if there is none. */
export async function databaseUse(path: string): Promise<DatabaseUse | null> {
  const file = await open(path).catch(nullIfAbsent);
  if (file === null) return null;
  try {
    const header = Buffer.alloc(headerBytes);
    const { bytesRead } = await file.read(header, 0, headerBytes, 0);
    const { size } = await file.stat();
    const ahead = (await stat(`${path}-wal`).catch(nullIfAbsent))?.size ?? 0;
    if (bytesRead < headerBytes) return { bytes: size + ahead, freeBytes: 0 };
    // 1 stands for 65,536, which has no room in two bytes.
    const pageSize = header.readUInt16BE(at.pageSize);
    const freeBytes = header.readUInt32BE(at.freePages) * (pageSize === 1 ? 65_536 : pageSize);
    return { bytes: size + ahead, freeBytes };
  } finally {
    await file.close();
  }
}
