import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { FileContent } from '../../domain/file-content.js';
import {
  leftoversIn,
  nullIfAbsent,
  placeFileAtomically,
  removeFiles,
  type UnneededFile,
} from '../atomic-file.js';
import type { ObjectStorage } from '../objects.js';
import { UnchangedFiles } from '../unchanged-files.js';

/** The folder of a TURNWISE_HOME for copies of objects. It may be removed at any time. */
export const copiesFolder = 'cache/objects';

/** The number of bytes saves the hash of what has another one. */
type WantedContent = Pick<FileContent, 'sha256'> & Partial<FileContent>;

/** Objects as local files, for libraries that read nothing else. */
export interface LocalCopies {
  /**
   * The path of an object as a file. Where objects are files, it is used where it is, and may be missing. Else it is fetched,
   * unless a file with this content is there already. Throws PortFailure('StoreMissing') for an object that is missing or
   * has another content, PortFailure('StoreUnavailable') where it cannot be read.
   */
  readonly file: (path: string, content: WantedContent) => Promise<string>;
  /** Where `file` puts an object. */
  readonly pathOf: (path: string) => string;
}

/** @param folder - is made where it is missing. Several processes may use it */
export function createLocalCopies(storage: ObjectStorage, folder: string): LocalCopies {
  /** Files whose content was compared, by path, until they change. A process compares each at its first use. */
  const compared = new UnchangedFiles();
  const inFlight = new Map<string, Promise<string>>();
  const pathOf = (path: string): string => storage.fileOf(path) ?? join(folder, path);

  async function fetched(path: string, content: WantedContent): Promise<string> {
    const copy = pathOf(path);
    const isRight = (): Promise<true | null> =>
      compared.read(copy, async () => {
        if (!(await hasContent(copy, content))) return null;
        await noteUse(copy);
        return true;
      });
    if (await isRight()) return copy;
    await mkdir(dirname(copy), { recursive: true });
    await placeFileAtomically(copy, async (draft) => {
      if (!(await storage.download(path, draft))) throw lost(storage, path, 'is missing');
      if (!(await hasContent(draft, content))) throw lost(storage, path, 'is damaged');
    }).catch((cause: unknown) => {
      if (cause instanceof PortFailure) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new PortFailure('StoreUnavailable', `${path} cannot be fetched: ${reason}`, { cause });
    });
    return copy;
  }

  return {
    pathOf,
    file: (path, content) => {
      const inPlace = storage.fileOf(path);
      if (inPlace !== null) return Promise.resolve(inPlace);
      // Not by path alone: the content of an imported database may be another one after a new import.
      const key = `${path} ${content.sha256}`;
      const work = inFlight.get(key) ?? fetched(path, content).finally(() => inFlight.delete(key));
      inFlight.set(key, work);
      return work;
    },
  };
}

/** Copies that no process has begun to use for so long are removed. */
const unusedDays = 14;

/** Its access time: many systems do not keep it by themselves. */
async function noteUse(copy: string): Promise<void> {
  const { mtime } = await stat(copy);
  await utimes(copy, new Date(), mtime);
}

/** The copies in a folder that no process has begun to use for two weeks. One that is wanted again is fetched again. */
export const unusedCopies = (folder: string): Promise<readonly UnneededFile[]> =>
  leftoversIn(
    folder,
    Infinity,
    (_, { atimeMs }) => Date.now() - atimeMs > unusedDays * 24 * 3600_000,
  );

/** Removes what `unusedCopies` finds. */
export const removeUnusedCopies = async (folder: string): Promise<void> =>
  removeFiles(await unusedCopies(folder));

const lost = ({ location }: ObjectStorage, path: string, what: string): PortFailure =>
  new PortFailure('StoreMissing', `${path} of ${location} ${what}.`);

async function hasContent(path: string, { sha256, bytes }: WantedContent): Promise<boolean> {
  const stats = await stat(path).catch(nullIfAbsent);
  if (stats === null || (bytes !== undefined && stats.size !== bytes)) return false;
  return (await sha256OfFile(path)) === sha256;
}

/** In hex; null if there is no such file. */
export async function sha256OfFile(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  const bytes = createReadStream(path, { highWaterMark: 2 ** 20 });
  return pipeline(bytes, hash).then(() => hash.digest('hex'), nullIfAbsent);
}

/** What a file holds. Rejects with the errors of node:fs. */
export async function contentOfFile(path: string): Promise<FileContent> {
  const { size } = await stat(path);
  return { sha256: (await sha256OfFile(path)) ?? '', bytes: size };
}
