import { open, type FileHandle } from 'node:fs/promises';
import { nullIfAbsent } from './atomic-file.js';

/** A line that is not blank, and the bytes it takes with its line break. */
export interface PlacedLine {
  readonly text: string;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** False for a last line without a line break. */
  readonly isWhole: boolean;
}

/** Reads the bytes from `start` to `end`, or as many as there are. */
type ReadBytes = (start: number, end: number) => Promise<Uint8Array>;

/** What is in memory at once. */
const chunkBytes = 2 ** 20;
const lineBreak = 10;

/** The lines between two bytes, in the batches in which they are read. @param from - where a line begins */
export async function* placedLines(
  read: ReadBytes,
  from: number,
  to: number,
): AsyncGenerator<readonly PlacedLine[], void> {
  let rest = Buffer.alloc(0);
  let offset = from;
  while (offset + rest.length < to) {
    const start = offset + rest.length;
    const bytes = await read(start, Math.min(to, start + chunkBytes));
    if (bytes.length === 0) break;
    rest = Buffer.concat([rest, bytes]);
    const lines: PlacedLine[] = [];
    let done = 0;
    for (let end = rest.indexOf(lineBreak); end >= 0; end = rest.indexOf(lineBreak, done)) {
      lines.push(...placedLine(rest, offset, done, end + 1, true));
      done = end + 1;
    }
    rest = rest.subarray(done);
    offset += done;
    if (lines.length > 0) yield lines;
  }
  const last = placedLine(rest, offset, 0, rest.length, false);
  if (last.length > 0) yield last;
}

function placedLine(
  bytes: Buffer,
  offset: number,
  start: number,
  end: number,
  isWhole: boolean,
): readonly PlacedLine[] {
  const text = bytes.toString('utf8', start, isWhole ? end - 1 : end);
  if (text.trim() === '') return [];
  return [{ text, start: offset + start, end: offset + end, isWhole }];
}

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
