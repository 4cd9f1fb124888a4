import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunId } from '../domain/ids.js';
import { nullIfAbsent } from './atomic-file.js';

/** The folder of the replies that equal requests share, inside a home. */
export const cacheFolder = (home: string): string => join(home, 'cache');

/** @param key - of a request, in hex */
export const cachedReplyFile = (folder: string, key: string): string =>
  join(folder, key.slice(0, 2), `${key}.json`);

/** The keys of the requests of a run, a line each; some more than once. */
const keysFile = (folder: string, run: RunId): string => join(folder, 'runs', `${run}.keys`);

/** Remembers that a run has used a reply. A disk that is full loses only that. */
export async function noteUse(folder: string, run: RunId, key: string): Promise<void> {
  const path = keysFile(folder, run);
  // Several workers may append at once: a line is short enough to be written in one piece.
  await mkdir(dirname(path), { recursive: true })
    .then(() => appendFile(path, `${key}\n`))
    .catch(() => undefined);
}

/** Removes the replies that a run has used, and says how many. Other runs may have used some of them too. */
export async function removeRepliesOf(folder: string, run: RunId): Promise<number> {
  const text = await readFile(keysFile(folder, run), 'utf8').catch(nullIfAbsent);
  const keys = new Set((text ?? '').split('\n').filter((key) => /^[0-9a-f]{64}$/.test(key)));
  for (const key of keys) await rm(cachedReplyFile(folder, key), { force: true });
  await forgetUse(folder, run);
  return keys.size;
}

/** The replies stay. */
export const forgetUse = (folder: string, run: RunId): Promise<void> =>
  rm(keysFile(folder, run), { force: true });
