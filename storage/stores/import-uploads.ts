import { readdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { jsonIn } from '../../domain/formats/json.js';
import {
  givenImportFile,
  givenImportSchema,
  type GivenImport,
  type GivenPart,
  type ImportSource,
} from '../../domain/stores/imports/import-papers.js';
import { ingestionFolder, type Ingestion } from '../../domain/stores/ingestion.js';
import { accessingFiles, jsonText, nullIfAbsent } from '../atomic-file.js';
import { readText, type ObjectStorage } from '../objects.js';
import { contentOfFile } from './local-copies.js';

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
