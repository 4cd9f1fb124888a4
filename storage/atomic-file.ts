import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PortFailure } from '../activities/ports/port-failure.js';
import { jsonIn } from '../domain/formats/json.js';

type Content = string | Uint8Array;

/** What file systems without hard links report: exFAT, and some network shares. */
const withoutLinks: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Writes a file whole or not at all: a reader, or a process started after a crash, never sees half of it. Rejects with what node:fs throws. */
export const writeFileAtomically = (path: string, content: Content): Promise<void> =>
  throughDraft(path, content, (draft) => rename(draft, path));

/** Like `writeFileAtomically`, for a file that the disk may have no room for: it is left out then. */
export const writeFileIfPossible = (path: string, content: Content): Promise<void> =>
  writeFileAtomically(path, content).catch(() => undefined);

/** Like `writeFileAtomically`, but a file that exists is kept. Resolves to whether the file was written. */
export const createFileAtomically = (path: string, content: string): Promise<boolean> =>
  throughDraft(path, content, async (draft) => {
    const written = await linkFirst(draft, path);
    if (written !== 'moved') await unlink(draft);
    return written !== 'late';
  });

async function linkFirst(draft: string, path: string): Promise<'linked' | 'moved' | 'late'> {
  try {
    await link(draft, path);
    return 'linked';
  } catch (error) {
    // What node:fs throws.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return 'late';
    if (!withoutLinks.includes(code)) throw error;
    // Of two writers at the same moment the last one wins on such a file system.
    await rename(draft, path);
    return 'moved';
  }
}

/** @param publish - removes the draft, unless it rejects */
async function throughDraft<T>(
  path: string,
  content: Content,
  publish: (draft: string) => Promise<T>,
): Promise<T> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeInFolder(draft, content);
    return await publish(draft);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Makes the folder where it is missing. */
async function writeInFolder(path: string, content: Content): Promise<void> {
  try {
    await writeFile(path, content);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

/** The JSON in a file; `undefined` where there is no file, or none with JSON in it. */
export async function readJsonFile(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    // What node:fs throws.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
  return jsonIn(text);
}

/** For what node:fs throws about the files of runs: it may pass. @param what - which could not be done */
export function filesUnavailable(what: string, cause: unknown): PortFailure {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new PortFailure('RunFilesUnavailable', `${what}: ${reason}`, { cause });
}
