import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PortFailure } from '../activities/ports/port-failure.js';
import { jsonIn } from '../domain/formats/json.js';

/** What comes in parts is read once. */
type Content = string | Uint8Array | AsyncIterable<string>;

/** Errors of file systems without hard links, such as exFAT and some network shares. */
const withoutLinks: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Writes a file completely or not at all, even if the process dies. Rejects with the errors of node:fs.
 * @param drafts - the folder in which the file is made. @defaultValue its own
 */
export const writeFileAtomically = (
  path: string,
  content: Content,
  drafts?: string,
): Promise<void> => placeFileAtomically(path, (draft) => writeFile(draft, content), drafts);

/** Like `writeFileAtomically`, but writes nothing if that fails, as on a full disk. */
export const writeFileIfPossible = (path: string, content: Content): Promise<void> =>
  writeFileAtomically(path, content).catch(() => undefined);

/**
 * Like `writeFileAtomically`, but keeps a file that exists, and what it writes survives a power cut: the records of paid
 * calls are created like this. Resolves to whether it has written the file.
 */
export const createFileAtomically = (
  path: string,
  content: Content,
  drafts?: string,
): Promise<boolean> =>
  throughDraft(
    path,
    // On the disk before it is published.
    (draft) => writeFile(draft, content, { flush: true }),
    async (draft) => {
      const result = await linkUnlessExists(draft, path);
      if (result !== 'moved') await unlink(draft);
      return result !== 'exists';
    },
    drafts,
  );

async function linkUnlessExists(
  draft: string,
  path: string,
): Promise<'linked' | 'moved' | 'exists'> {
  try {
    await inFolder(path, () => link(draft, path));
    return 'linked';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // node:fs throws nothing else.
    if (code === 'EEXIST') return 'exists';
    if (!withoutLinks.includes(code)) throw error;
    // On such a file system, the last of two simultaneous writers wins.
    await inFolder(path, () => rename(draft, path));
    return 'moved';
  }
}

/** Like `writeFileAtomically`. @param make - makes the file at the path that it is given */
export const placeFileAtomically = (
  path: string,
  make: (draft: string) => Promise<void>,
  drafts?: string,
): Promise<void> =>
  throughDraft(path, make, (draft) => inFolder(path, () => rename(draft, path)), drafts);

/** Where a file is made before it is put in place. */
export const draftOf = (path: string, folder = dirname(path)): string =>
  join(folder, `${basename(path)}.${randomUUID()}.tmp`);

/** A draft, or what was to follow a version of an `AppendOnceFile`. */
const isLeftover = (name: string): boolean =>
  /\.[0-9a-f-]{36}\.tmp$|\.\d+-[\d.]+\.\d+\.next$/.test(name);

/** A file that nobody needs. */
export interface UnneededFile {
  readonly path: string;
  readonly bytes: number;
}

/** What was made longer ago than this and is not used is needed by nobody: a process that was killed has left it. */
export const neededForMs = 24 * 3600_000;

/**
 * What processes that were killed left in a folder more than a day ago. Rejects with the errors of node:fs.
 * @param depth - how many levels of folders inside it are searched, too
 * @param isUnneeded - tells other files that nobody needs
 */
export async function leftoversIn(
  folder: string,
  depth: number,
  isUnneeded = (name: string, { mtimeMs }: Stats): boolean =>
    isLeftover(name) && Date.now() - mtimeMs > neededForMs,
): Promise<readonly UnneededFile[]> {
  const found: UnneededFile[] = [];
  const entries = await readdir(folder, { withFileTypes: true }).catch(nullIfAbsent);
  for (const entry of entries ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 0)
      found.push(...(await leftoversIn(path, depth - 1, isUnneeded)));
    const stats = entry.isFile() ? await stat(path).catch(nullIfAbsent) : null;
    if (stats !== null && isUnneeded(entry.name, stats)) found.push({ path, bytes: stats.size });
  }
  return found;
}

/** Removes what `leftoversIn` finds. */
export const removeLeftovers = async (folder: string, depth: number): Promise<void> =>
  removeFiles(await leftoversIn(folder, depth));

export async function removeFiles(files: readonly UnneededFile[]): Promise<void> {
  for (const { path } of files) await rm(path, { force: true });
}

/** @param publish - removes the draft, unless it rejects */
async function throughDraft<T>(
  path: string,
  make: (draft: string) => Promise<void>,
  publish: (draft: string) => Promise<T>,
  drafts = dirname(path),
): Promise<T> {
  const draft = draftOf(path, drafts);
  try {
    await inFolder(draft, () => make(draft));
    return await publish(draft);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    // The folder of the drafts is on another disk.
    const isElsewhere = (error as NodeJS.ErrnoException).code === 'EXDEV';
    if (isElsewhere && drafts !== dirname(path)) return throughDraft(path, make, publish);
    throw error;
  }
}

/** Makes the folder of a file if it is missing. */
export async function inFolder(path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(dirname(path), { recursive: true });
    await write();
  }
}

/** The JSON in a file; `undefined` if there is no file, or if it is not JSON. */
export async function readJsonFile(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch(nullIfAbsent);
  return text === null ? undefined : jsonIn(text);
}

/** The contents of a JSON file. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;

/** Whether node:fs has found no file: it does not exist, or its folder is a file. */
export const isAbsence = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ENOENT' || error.code === 'ENOTDIR');

/** For `catch`: null if there is no file. Throws all other errors. */
export function nullIfAbsent(error: unknown): null {
  if (isAbsence(error)) return null;
  throw error;
}

/**
 * Runs `work` on the files of runs. Errors of node:fs become PortFailure (`RunFilesUnavailable`), which is retried.
 * @param what - what has failed then, as `end.json cannot be read`
 */
export async function accessingFiles<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof PortFailure) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PortFailure('RunFilesUnavailable', `${what}: ${reason}`, { cause });
  }
}
