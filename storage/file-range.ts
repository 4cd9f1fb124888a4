import { open } from 'node:fs/promises';
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
    const bytes = Buffer.alloc(end - start);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The lines between two bytes of a file, in the batches in which they are read; none if there is no file. */
export const linesOfFile = (
  path: string,
  from: number,
  to: number,
): AsyncGenerator<readonly PlacedLine[], void> =>
  placedLines(
    async (start, end) => (await readFileRange(path, start, end)) ?? new Uint8Array(),
    from,
    to,
  );
