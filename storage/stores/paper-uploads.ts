import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, sep } from 'node:path';
import { createHash } from 'node:crypto';
import {
  besidePdfSchema,
  foldersBeside,
  isOfParser,
  namesBeside,
  type BesidePdf,
} from '../../domain/stores/beside-pdf.js';
import { jsonIn } from '../../domain/formats/json.js';
import type { StoreName } from '../../domain/ids.js';
import type { GivenFile, PdfFile } from '../../domain/stores/ingestion.js';
import {
  besidePdfFile,
  papersFolder,
  pdfCopyFile,
  storeFolder,
} from '../../domain/stores/store-manifest.js';
import { jsonText, nullIfAbsent } from '../atomic-file.js';
import { contentOfFile, sha256OfFile } from './local-copies.js';
import { readText, type ObjectStorage } from '../objects.js';

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
