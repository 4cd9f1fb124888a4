import type { IsCurrent, KeyedLine, KeyOfLine } from './append-once-file.js';

/** A version of an object that was stored, to tell whether another one has replaced it. */
export interface ObjectVersion {
  readonly version: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly storedAtMs: number;
}

/** What a folder holds, folders inside it included. */
export interface FolderContents {
  readonly objects: number;
  readonly bytes: number;
}

/**
 * Where runs are kept: a local folder, or a bucket of an object store. An object is named by a path with `/`, relative to
 * that place. It is stored as a whole or not at all. Every method rejects with an Error whose message says what failed.
 */
export interface ObjectStorage {
  /** For messages and for people: the folder, or `s3://bucket/prefix`. */
  readonly location: string;
  /** Null if there is no such object. */
  readonly read: (path: string) => Promise<Uint8Array | null>;
  /** The bytes from `start` to `end`, or as many as there are; null if there is no such object. `start` is inside of it. */
  readonly readRange: (path: string, start: number, end: number) => Promise<Uint8Array | null>;
  /** Replaces an object that exists. */
  readonly write: (path: string, content: string | Uint8Array) => Promise<void>;
  /**
   * Keeps an object that exists: of several simultaneous calls one creates it. Resolves to whether this call has done so.
   * Where the answer to a request was lost, it may resolve to false although the object is from this call.
   */
  readonly create: (path: string, content: string | Uint8Array) => Promise<boolean>;
  /** Does nothing if there is no such object. */
  readonly remove: (path: string) => Promise<void>;
  /** Writes the content of a local file, of any size, in place of an object that exists. Removes the file if it is to `move`. */
  readonly upload: (path: string, file: string, how?: { readonly move: boolean }) => Promise<void>;
  /** Writes an object into a local file, which is incomplete if that fails. Resolves to whether there is such an object. */
  readonly download: (path: string, file: string) => Promise<boolean>;
  /** Where an object is a local file, or would be if it existed. Null in an object store. */
  readonly fileOf: (path: string) => string | null;
  /** The names directly in a folder, in no particular order; those of folders end with `/`. Empty if there is none. */
  readonly list: (folder: string) => Promise<readonly string[]>;
  /** Null if there is no such object. */
  readonly version: (path: string) => Promise<ObjectVersion | null>;
  /** When an object directly in a folder was last created, in milliseconds since 1970; null if the folder is empty. */
  readonly storedAtMs: (folder: string) => Promise<number | null>;
  /** Of an absent folder, nothing. What is stored or removed meanwhile may be missing. */
  readonly contents: (folder: string) => Promise<FolderContents>;
  /** Removes all objects of a folder, and of folders inside it. Does nothing if there is none. */
  readonly removeFolder: (folder: string) => Promise<void>;
  /** A log. Several processes may append to it: no key is there twice, and none is lost. */
  readonly log: (path: string, keyOf: KeyOfLine) => LineLog;
}

/** Lines with keys, each key once: a file that is appended to, or several objects. */
export interface LineLog {
  /**
   * Adds the lines whose keys it does not have.
   * @param isCurrent - asked of each line after the log was read, and again if the log has changed before the line is added
   */
  readonly append: (lines: readonly KeyedLine[], isCurrent?: IsCurrent) => Promise<void>;
  /**
   * Removes lines, so that their keys can be appended again. It counts as a change of the log also if it has none of them.
   * A reader sees the log before or after.
   */
  readonly remove: (isRemoved: (line: string) => boolean) => Promise<void>;
  /** All lines, each with its line break; null if nothing was ever appended. */
  readonly text: () => Promise<string | null>;
  /** All lines without their line breaks, a part at a time: of a large run they do not fit into memory. */
  readonly batches: () => AsyncIterable<readonly string[]>;
  /** The last lines: about as many as take `bytes`. */
  readonly tail: (bytes: number) => Promise<LogTail>;
  /** Replaces all lines. */
  readonly replace: (text: string) => Promise<void>;
  /** Reads the lines again and again, and parses only new ones. @param parse - may throw; `number` is from 1 */
  readonly reader: <T>(parse: (line: string, number: number) => T) => LineReader<T>;
}

export interface LogTail {
  /** Without their line breaks. */
  readonly lines: readonly string[];
  /** Whether there are no others. */
  readonly isAll: boolean;
}

export interface LineReader<T> {
  readonly read: () => Promise<readonly T[]>;
}

/** Null if there is no such object. */
export async function readText(
  storage: Pick<ObjectStorage, 'read'>,
  path: string,
): Promise<string | null> {
  const bytes = await storage.read(path);
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
