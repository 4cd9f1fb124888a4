import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, sep } from 'node:path';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { jsonIn } from '../../domain/formats/json.js';
import type { StoreName } from '../../domain/ids.js';
import {
  besidePdfSchema,
  foldersBeside,
  isOfParser,
  namesBeside,
  type BesidePdf,
} from '../../domain/stores/paper-parsers.js';
import {
  givenImportFile,
  givenImportSchema,
  ingestionFolder,
  type GivenImport,
  type GivenPart,
  type ImportSource,
  type GivenFile,
  type PdfFile,
  type Ingestion,
} from '../../domain/stores/ingestion.js';
import {
  besidePdfFile,
  papersFolder,
  pdfCopyFile,
  storeFolder,
} from '../../domain/stores/store-manifest.js';
import { jsonText, nullIfAbsent, accessingFiles } from '../atomic-file.js';
import { readText, type ObjectStorage } from '../objects.js';
import { contentOfFile, sha256OfFile } from './local-copies.js';

/** Reads a PDF on this machine. @param file - absolute */
export async function givenFile(file: string): Promise<GivenFile> {
  try {
    const sha256 = await sha256OfFile(file);
    return sha256 === null ? unopened(file, 'ENOENT') : { file, sha256 };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // node:fs throws nothing else.
    if (code === undefined) throw error;
    return unopened(file, code);
  }
}

const unopened = (file: string, code: string): GivenFile => ({
  file,
  reason: `${file} cannot be opened (${code}).`,
});

/** Puts a PDF and the files of parsers beside it into the storage, so that every worker can read them. */
export async function uploadPdf(
  storage: ObjectStorage,
  store: StoreName,
  { file, sha256 }: PdfFile,
): Promise<void> {
  const inStore = (path: string): string => `${storeFolder(store)}/${path}`;
  const copy = inStore(pdfCopyFile(sha256));
  const { size } = await stat(file);
  if ((await storage.version(copy))?.bytes !== size) await storage.upload(copy, file);

  const index = inStore(besidePdfFile(sha256));
  const text = await readText(storage, index);
  const kept = besidePdfSchema.safeParse(jsonIn(text ?? '')).data;
  const found = await filesBeside(file, sha256);
  if (JSON.stringify(kept) === JSON.stringify(found ?? undefined)) return;
  if (found === null) return storage.remove(index);
  for (const { name } of found.files) {
    await storage.upload(inStore(`${found.folder}/${name}`), join(dirname(file), name));
  }
  // Last, so that what it names is there.
  await storage.write(index, jsonText(found));
}

/** Null if there are none. */
async function filesBeside(pdf: string, sha256: string): Promise<BesidePdf | null> {
  const beside = dirname(pdf);
  const name = basename(pdf, extname(pdf));
  const names: string[] = [];
  for (const one of namesBeside(name)) if (await isFile(join(beside, one))) names.push(one);
  for (const folder of foldersBeside(name)) {
    const paths = await readdir(join(beside, folder), { recursive: true }).catch(() => []);
    for (const path of paths.map((one) => one.replaceAll(sep, '/'))) {
      const one = `${folder}/${path}`;
      if (isOfParser(name, path) && (await isFile(join(beside, one)))) names.push(one);
    }
  }
  if (names.length === 0) return null;
  const files = [];
  for (const one of names.sort()) {
    files.push({ name: one, ...(await contentOfFile(join(beside, one))) });
  }
  const hash = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16);
  return { pdf: basename(pdf), folder: `${papersFolder}/${sha256}.beside/${hash}`, files };
}

const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(nullIfAbsent))?.isFile() === true;

/** Files that are sent at a time. */
const sentAtOnce = 4;

/** Puts what is to be imported into the folder of the ingestion, so that every worker can read it. */
export async function uploadImport(
  storage: ObjectStorage,
  ingestion: Ingestion,
  { database, bm25, folders }: ImportSource,
): Promise<void> {
  const waiting: (() => Promise<void>)[] = [];
  const send = async (given: string, name: string): Promise<GivenPart> => {
    const copy = `${ingestionFolder(ingestion)}/given/${name}`;
    waiting.push(() => storage.upload(copy, given));
    return { given, copy, ...(await contentOfFile(given)) };
  };
  const sendAll = async (folder: string, ending: string): Promise<GivenImport['pdfs']> => {
    const parts: Record<string, GivenPart> = {};
    for (const [id, file] of await filesIn(folders, folder, ending)) {
      parts[id] = await send(file, `${folder}/${id}${ending}`);
    }
    return parts;
  };
  const given: GivenImport = {
    database: database === null ? null : await send(database, 'papers.duckdb'),
    bm25: bm25 === null ? null : await send(bm25, 'bm25.json'),
    processed: await sendAll('processed_data', '.json'),
    metadata: await sendAll('metadata', '.json'),
    pdfs: await sendAll('papers', '.pdf'),
  };
  const queue = waiting.values();
  const sendWaiting = async (): Promise<void> => {
    for (const upload of queue) await upload();
  };
  await accessingFiles('the import cannot be put into the storage', async () => {
    await Promise.all(Array.from({ length: sentAtOnce }, sendWaiting));
    // Last, so that what it names is there.
    await storage.write(indexOf(ingestion), jsonText(given));
  });
}

/** Null for an ingestion that is no import. Throws PortFailure('IngestionLost') where the index is damaged. */
export async function readGivenImport(
  storage: ObjectStorage,
  ingestion: Ingestion,
): Promise<GivenImport | null> {
  const path = indexOf(ingestion);
  const text = await accessingFiles(`${path} cannot be read`, () => readText(storage, path));
  if (text === null) return null;
  const parsed = givenImportSchema.safeParse(jsonIn(text));
  if (parsed.success) return parsed.data;
  throw new PortFailure(
    'IngestionLost',
    `${storage.location}/${path} is damaged: import the papers again.`,
  );
}

const indexOf = (ingestion: Ingestion): string =>
  `${ingestionFolder(ingestion)}/${givenImportFile}`;

/** The paths of files in a folder of some folders and below, by their name without ending; the first one counts. */
async function filesIn(
  folders: ImportSource['folders'],
  name: string,
  ending: string,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const folder of folders) {
    const root = join(folder, name);
    const names = (await readdir(root, { recursive: true }).catch(nullIfAbsent)) ?? [];
    for (const file of names.sort()) {
      if (extname(file).toLowerCase() !== ending) continue;
      const id = basename(file, extname(file)).toLowerCase();
      if (!files.has(id)) files.set(id, join(root, file));
    }
  }
  return files;
}
