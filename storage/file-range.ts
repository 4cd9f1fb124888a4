import { open, type FileHandle } from 'node:fs/promises';
import { nullIfAbsent } from './atomic-file.js';
import { placedLines, type PlacedLine } from './placed-lines.js';

/** The bytes of a file from `start` to `end`, or as many as there are; null if there is no such file. */
export async function readFileRange(
  path: string,
  start: number,
  end: number,
): Promise<Uint8Array | null> {
  const file = await open(path, 'r').catch(nullIfAbsent);
  if (file === null) return null;
  try {
    return await bytesOf(file, start, end);
  } finally {
    await file.close();
  }
}

async function bytesOf(file: FileHandle, start: number, end: number): Promise<Uint8Array> {
  const bytes = Buffer.alloc(end - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  return bytes.subarray(0, bytesRead);
}

/** The lines between two bytes of an open file, in the batches in which they are read. */
export const linesOfHandle = (
  file: FileHandle,
  from: number,
  to: number,
): AsyncGenerator<readonly PlacedLine[], void> =>
  placedLines((start, end) => bytesOf(file, start, end), from, to);

/** Like `linesOfHandle`, also of a file that is replaced meanwhile; none if there is no file. */
export async function* linesOfFile(
  path: string,
  from: number,
  to: number,
): AsyncGenerator<readonly PlacedLine[], void> {
  const file = await open(path, 'r').catch(nullIfAbsent);
  if (file === null) return;
  try {
    yield* linesOfHandle(file, from, to);
  } finally {
    await file.close();
  }
}
