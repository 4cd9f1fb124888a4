import { z } from 'zod';
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { PaperParsersPort } from '../../../activities/ports/stores.js';
import { readLatexSource } from '../../../domain/extraction/latex-source/read-latex.js';
import type { SourceFiles } from '../../../domain/extraction/latex-source/source-text.js';
import { readDoclingDocument } from '../../../domain/extraction/parsers/docling.js';
import { readGrobidTei } from '../../../domain/extraction/parsers/grobid.js';
import { readMineru } from '../../../domain/extraction/parsers/mineru.js';
import {
  UnexpectedDocument,
  type PageSize,
  type PaperParts,
} from '../../../domain/extraction/parsers/paper-parts.js';
import { jsonIn } from '../../../domain/formats/json.js';
import {
  parserNames,
  parsersOfFiles,
  type Parser,
  type ParserSource,
} from '../../../domain/stores/paper-parsers.js';
import {
  readingFiles,
  parserFailure,
  withParserServer,
  type ParserServer,
  type NamedPdf,
} from './parser-server.js';

/** The servers of parsers; absent where no address is set. */
export type ParserServers = Readonly<
  Partial<Record<Exclude<Parser, 'latex'>, Omit<ParserServer, 'parser'>>>
>;

/** Parsers by their servers, and by their files beside PDFs, which are preferred. */
export function createPaperParsers(servers: ParserServers): PaperParsersPort {
  async function sourceOf(parser: Parser, pdf: string): Promise<ParserSource | null> {
    if (parser === 'mineru') {
      const files = await findMineruFiles(pdf);
      if (files !== null) return { parser, files: await fingerprintMineru(files) };
    }
    if (parser === 'latex') {
      const path = await findLatexSource(pdf);
      if (path !== null) return { parser, files: await fingerprintLatex(path) };
    }
    return null;
  }
  return {
    find: async (pdf, wanted) => {
      const sources: ParserSource[] = [];
      for (const parser of wanted ?? parsersOfFiles) {
        const source = await sourceOf(parser, pdf);
        if (source !== null) sources.push(source);
        else if (wanted !== undefined && parser !== 'latex') {
          requireServer(servers, parser);
          sources.push({ parser, files: null });
        }
      }
      return sources;
    },
    read: async ({ parser, files }, pdf, pages, signal, path = pdf) => {
      if (files === null && parser !== 'latex') {
        const server = requireServer(servers, parser);
        const named = { path, name: basename(pdf) };
        return byServer[parser]({ ...server, parser }, named, pages, signal);
      }
      if (parser === 'latex') {
        const path = await findLatexSource(pdf);
        if (path !== null) return readLatexAt(path, pdf);
      } else {
        const mineru = await findMineruFiles(pdf);
        if (mineru !== null) return readMineruFiles(mineru, pdf, pages);
      }
      throw new PortFailure(
        'ParserFailed',
        `${basename(pdf)} is not read: its ${parserNames[parser]} is gone.`,
      );
    },
  };
}

function requireServer(
  servers: ParserServers,
  parser: keyof ParserServers,
): Omit<ParserServer, 'parser'> {
  const server = servers[parser];
  if (server !== undefined) return server;
  throw new PortFailure(
    'ParserMissing',
    `the worker has no address of ${parserNames[parser]}: set TURNWISE_${parser.toUpperCase()}_URL`,
  );
}

/** The paths of MinerU's two files about a PDF; at least one is there. */
interface MineruPaths {
  readonly middle: string | null;
  readonly contentList: string | null;
}

/**
 * Beside `PAPER.pdf`, in the folder `PAPER` there, or in a folder of that, named for MinerU's method, such as
 * `PAPER/auto/PAPER_middle.json`. MinerU's own copy `PAPER_origin.pdf` has them, too. Null where there are none.
 */
async function findMineruFiles(pdf: string): Promise<MineruPaths | null> {
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
async function fingerprintMineru({ middle, contentList }: MineruPaths): Promise<string> {
  const hash = createHash('sha256');
  for (const path of [middle, contentList]) {
    hash.update(path === null ? '-' : await readFile(path));
  }
  return hash.digest('hex');
}

/** Throws PortFailure('ParserFailed') where a file has another form. */
async function readMineruFiles(
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

/** Has a server read a PDF. Throws PortFailure('ParserUnavailable') or PortFailure('ParserFailed'). */
type ReadWithServer = (
  server: ParserServer,
  pdf: NamedPdf,
  pages: readonly PageSize[],
  signal: AbortSignal,
) => Promise<PaperParts>;

/** Elements of which GROBID shall tell the boxes. */
const withCoordinates = ['title', 'persName', 'head', 'p', 'formula', 'figure', 'biblStruct'];

/** By `POST /api/processFulltextDocument` of GROBID 0.6 and later, without its look-ups in other services. */
const readWithGrobid: ReadWithServer = (server, pdf, pages, signal) =>
  withParserServer(server, pdf, signal, async ({ send }) => {
    const fields = [
      ['consolidateHeader', '0'],
      ['consolidateCitations', '0'],
      ['includeRawCitations', '1'],
      ...withCoordinates.map((element) => ['teiCoordinates', element] as const),
    ] as const;
    return readGrobidTei(await send('/api/processFulltextDocument', fields, 'input'), pages);
  });

const mineruReply = z.object({
  results: z.record(
    z.string(),
    z.object({ middle_json: z.unknown().optional(), content_list: z.unknown().optional() }),
  ),
});

/** By `POST /file_parse` of MinerU's API server, version 2 and later. The two documents come as JSON in texts. */
const readWithMineru: ReadWithServer = (server, pdf, pages, signal) =>
  withParserServer(server, pdf, signal, async ({ send }) => {
    const fields = [
      ['return_md', 'false'],
      ['return_middle_json', 'true'],
      ['return_content_list', 'true'],
    ] as const;
    const { data } = mineruReply.safeParse(jsonIn(await send('/file_parse', fields, 'files')));
    const [result] = Object.values(data?.results ?? {});
    if (result === undefined) throw new UnexpectedDocument('is no result of MinerU');
    const [middle, contentList] = [result.middle_json, result.content_list].map(documentIn);
    return readMineru({ middle: middle ?? null, contentList: contentList ?? null }, pages);
  });

const documentIn = (value: unknown): unknown => (typeof value === 'string' ? jsonIn(value) : value);

const taskSchema = z.object({ task_id: z.string().min(1), task_status: z.string() });
const doclingReply = z.object({
  document: z.object({ json_content: z.unknown() }),
  status: z.string(),
  errors: z.array(z.object({ error_message: z.string() })).default([]),
});
/** Seconds that the server holds a question for the state of a task. */
const pollSeconds = 20;

/** By the tasks of docling-serve, since its direct reply is cut off after two minutes. */
const readWithDocling: ReadWithServer = (server, pdf, pages, signal) =>
  withParserServer(server, pdf, signal, async ({ send, get }) => {
    const fields = [
      ['from_formats', 'pdf'],
      ['to_formats', 'json'],
      ['image_export_mode', 'placeholder'],
    ] as const;
    let task = taskIn(await send('/v1/convert/file/async', fields, 'files'));
    const id = encodeURIComponent(task.task_id);
    for (;;) {
      task = taskIn(await get(`/v1/status/poll/${id}?wait=${pollSeconds}`));
      if (!['pending', 'started'].includes(task.task_status)) break;
      await sleep(pollPauseMs, undefined, { signal });
    }
    const body = await get(`/v1/result/${id}`);
    const { data } = doclingReply.safeParse(jsonIn(body));
    if (data === undefined) throw new UnexpectedDocument('is no result of Docling');
    if (data.status !== 'success') {
      const said = data.errors.map(({ error_message }) => error_message).join('; ');
      throw parserFailure(
        'ParserFailed',
        server,
        pdf,
        `read it with ${data.status}${said && `: ${said.slice(0, 200)}`}`,
      );
    }
    return readDoclingDocument(data.document.json_content, pages);
  });

/** A server that does not hold questions would be asked all the time. */
const pollPauseMs = 500;

function taskIn(body: string): Readonly<z.infer<typeof taskSchema>> {
  const { data } = taskSchema.safeParse(jsonIn(body));
  if (data === undefined) throw new UnexpectedDocument('is no task of Docling');
  return data;
}

const byServer = {
  mineru: readWithMineru,
  grobid: readWithGrobid,
  docling: readWithDocling,
} as const satisfies Readonly<Record<Exclude<Parser, 'latex'>, ReadWithServer>>;

/**
 * Beside `PAPER.pdf`: the folder `PAPER` with a `.tex` file in it, `PAPER.tar.gz` or `PAPER.tgz`, `PAPER.gz`, which is how
 * arXiv sends a source of one file, or `PAPER.tex`. Archives may be called `arXiv-PAPER`, too. Null where there is none.
 */
async function findLatexSource(pdf: string): Promise<string | null> {
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
async function fingerprintLatex(path: string): Promise<string> {
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
const readLatexAt = (path: string, pdf: string): Promise<PaperParts> =>
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
