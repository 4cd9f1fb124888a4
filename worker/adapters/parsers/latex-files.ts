import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  UnexpectedDocument,
  type PaperParts,
} from '../../../domain/extraction/parsers/paper-parts.js';
import { readLatexSource } from '../../../domain/extraction/latex-source/read-latex.js';
import type { SourceFiles } from '../../../domain/extraction/latex-source/source-text.js';
import { readingFiles } from './parser-server.js';

/**
 * Beside `PAPER.pdf`: the folder `PAPER` with a `.tex` file in it, `PAPER.tar.gz` or `PAPER.tgz`, `PAPER.gz`, which is how
 * arXiv sends a source of one file, or `PAPER.tex`. Archives may be called `arXiv-PAPER`, too. Null where there is none.
 */
export async function findLatexSource(pdf: string): Promise<string | null> {
  const beside = dirname(pdf);
  const name = basename(pdf, extname(pdf));
  const archives = [name, `arXiv-${name}`].flatMap((one) =>
    ['.tar.gz', '.tgz', '.gz'].map((end) => one + end),
  );
  for (const path of [name, ...archives, `${name}.tex`].map((one) => join(beside, one))) {
    const found = await stat(path).catch(() => null);
    if (found?.isFile() === true) return path;
    if (found?.isDirectory() === true && (await texPathsIn(path)).some(isTex)) return path;
  }
  return null;
}

const isTex = (path: string): boolean => /\.(?:tex|ltx)$/i.test(path);

/** The files of a folder that a source may take in, in order. */
const texPathsIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(?:tex|ltx|bbl)$/i.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/** SHA-256 of a source's files, in hex. */
export async function fingerprintLatex(path: string): Promise<string> {
  const hash = createHash('sha256');
  for (const [name, bytes] of await bytesAt(path)) hash.update(`${name}\n`).update(bytes);
  return hash.digest('hex');
}

/** A file of a folder, or the archive itself. A list of references may lie beside a single file. */
async function bytesAt(path: string): Promise<readonly (readonly [string, Buffer])[]> {
  const isFolder = (await stat(path)).isDirectory();
  const list = path.replace(/\.tex$/, '.bbl');
  const beside = list === path ? [] : [list];
  const paths = isFolder ? await texPathsIn(path) : [path, ...beside];
  const read = await Promise.all(
    paths.map(async (one) => {
      const bytes = await readFile(one).catch((error: unknown) => {
        if (one === path) throw error;
        return null;
      });
      const name = isFolder ? one.slice(path.length + 1).replaceAll('\\', '/') : basename(one);
      return bytes === null ? [] : [[name, bytes] as const];
    }),
  );
  return read.flat();
}

/** Throws PortFailure('ParserFailed') where it is no LaTeX document. */
export const readLatexAt = (path: string, pdf: string): Promise<PaperParts> =>
  readingFiles(pdf, path, async () => readLatexSource(await filesAt(path)));

async function filesAt(path: string): Promise<SourceFiles> {
  const files = await bytesAt(path);
  const [first] = files;
  if (!/gz$/.test(path) || first === undefined) return asTexts(files);
  const content = await unpack(first[1], { maxOutputLength: mostBytes }).catch(() => {
    throw new UnexpectedDocument('is no gzip file, is cut off, or holds more than 200 MB');
  });
  const entries = tarEntries(content);
  return asTexts(entries.length > 0 ? entries : [['main.tex', content]]);
}

const unpack = promisify(gunzip);
/** Unpacked. Pictures are the most of it. */
const mostBytes = 200 * 2 ** 20;

const asTexts = (files: readonly (readonly [string, Buffer])[]): SourceFiles =>
  new Map(
    files
      .filter(([name]) => /\.(?:tex|ltx|bbl)$/i.test(name))
      .map(([name, bytes]) => [name.replace(/^\.\//, ''), decode(bytes)]),
  );

/** Sources of before UTF-8 are in Latin-1. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}

const blockLength = 512;

/** The regular files of a tar archive; none where it is not one. */
function tarEntries(archive: Buffer): readonly (readonly [string, Buffer])[] {
  const entries: [string, Buffer][] = [];
  let at = 0;
  while (at + blockLength <= archive.length) {
    const field = (start: number, end: number): string =>
      archive.toString('utf8', at + start, at + end).replace(/\0[^]*$/, '');
    if (!field(257, 263).startsWith('ustar')) break;
    const size = parseInt(field(124, 136).trim(), 8) || 0;
    const folder = field(345, 500);
    const content = archive.subarray(at + blockLength, at + blockLength + size);
    if (/^0?$/.test(field(156, 157))) {
      entries.push([folder === '' ? field(0, 100) : `${folder}/${field(0, 100)}`, content]);
    }
    at += blockLength + Math.ceil(size / blockLength) * blockLength;
  }
  return entries;
}
