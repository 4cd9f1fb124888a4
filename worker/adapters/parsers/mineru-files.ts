import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { readMineru } from '../../../domain/extraction/parsers/mineru.js';
import type { PageSize, PaperParts } from '../../../domain/extraction/parsers/paper-parts.js';
import { jsonIn } from '../../../domain/formats/json.js';
import { readingFiles } from './parser-server.js';

/** The paths of MinerU's two files about a PDF; at least one is there. */
interface MineruPaths {
  readonly middle: string | null;
  readonly contentList: string | null;
}

/**
 * Beside `PAPER.pdf`, in the folder `PAPER` there, or in a folder of that, named for MinerU's method, such as
 * `PAPER/auto/PAPER_middle.json`. MinerU's own copy `PAPER_origin.pdf` has them, too. Null where there are none.
 */
export async function findMineruFiles(pdf: string): Promise<MineruPaths | null> {
  const name = basename(pdf, extname(pdf)).replace(/_origin$/, '');
  const [beside, own] = [dirname(pdf), join(dirname(pdf), name)];
  const methods = (await entriesOf(own)).filter((entry) => entry.isDirectory());
  for (const folder of [beside, own, ...methods.map((entry) => join(own, entry.name)).sort()]) {
    const files = new Set((await entriesOf(folder)).map((entry) => entry.name));
    const path = (end: string): string | null =>
      files.has(`${name}${end}`) ? join(folder, `${name}${end}`) : null;
    const found = { middle: path('_middle.json'), contentList: path('_content_list.json') };
    if (found.middle !== null || found.contentList !== null) return found;
  }
  return null;
}

const entriesOf = (folder: string) =>
  readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException; // node:fs throws nothing else.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return [];
    throw error;
  });

/** SHA-256 of the files, in hex. */
export async function fingerprintMineru({ middle, contentList }: MineruPaths): Promise<string> {
  const hash = createHash('sha256');
  for (const path of [middle, contentList]) {
    hash.update(path === null ? '-' : await readFile(path));
  }
  return hash.digest('hex');
}

/** Throws PortFailure('ParserFailed') where a file has another form. */
export async function readMineruFiles(
  paths: MineruPaths,
  pdf: string,
  pages: readonly PageSize[],
): Promise<PaperParts> {
  const parsed = async (path: string | null): Promise<unknown> =>
    path === null ? null : jsonIn(await readFile(path, 'utf8'));
  return readingFiles(pdf, paths.contentList ?? paths.middle ?? '', async () => {
    const [middle, contentList] = [await parsed(paths.middle), await parsed(paths.contentList)];
    return readMineru({ middle, contentList }, pages);
  });
}
