import { PortFailure } from '../../activities/ports/port-failure.js';
import type { IngestionFilesPort } from '../../activities/ports/stores.js';
import { jsonIn } from '../../domain/formats/json.js';
import type { StoreName } from '../../domain/ids.js';
import {
  failedFilesSchema,
  failuresFile,
  filePageFile,
  filePageSchema,
  filesPerPage,
  ignoredFile,
  ignoredPdfsSchema,
  ingestionPlanSchema,
  ingestionProgress,
  ingestionFolder,
  ingestionsOf,
  isFilePage,
  planFile,
  type Ingestion,
  type ReadPage,
} from '../../domain/stores/ingestion.js';
import type { z } from 'zod';
import { accessingFiles, jsonText } from '../atomic-file.js';
import { readText, type ObjectStorage } from '../objects.js';
import { givenFile, uploadPdf } from './uploads.js';

/** A folder in which nothing was written for so long belongs to an ingestion whose command was killed. */
const abandonedAfterMs = 48 * 60 * 60 * 1000;

/** PDFs that are sent at a time. */
const sentAtOnce = 4;

/** The lists of ingestions, in the folders of their stores. */
export function createIngestionFiles(storage: ObjectStorage): IngestionFilesPort {
  const write = (ingestion: Ingestion, file: string, value: unknown): Promise<void> => {
    const path = `${ingestionFolder(ingestion)}/${file}`;
    return accessingFiles(`${path} cannot be written`, () => storage.write(path, jsonText(value)));
  };

  async function read<T>(
    ingestion: Ingestion,
    file: string,
    schema: z.ZodType<T>,
    absent?: T,
  ): Promise<T> {
    const path = `${ingestionFolder(ingestion)}/${file}`;
    const text = await accessingFiles(`${path} cannot be read`, () => readText(storage, path));
    if (text === null && absent !== undefined) return absent;
    const parsed = schema.safeParse(jsonIn(text ?? ''));
    if (parsed.success) return parsed.data;
    throw new PortFailure(
      'IngestionLost',
      `${storage.location}/${path} is missing or damaged: ingest the PDFs again.`,
    );
  }

  return {
    create: async (ingestion, files) => {
      await removeAbandoned(storage, ingestion.store);
      const given = [];
      for (const file of files) given.push(await givenFile(file));
      const pages = Math.ceil(files.length / filesPerPage);
      for (let page = 1; page <= pages; page += 1) {
        const some = given.slice((page - 1) * filesPerPage, page * filesPerPage);
        await write(ingestion, filePageFile(page), some);
      }
      // After the lists, which keep others from removing the PDFs. Of equal ones, the first counts.
      const pdfs = new Map<string, { readonly file: string; readonly sha256: string }>();
      for (const pdf of given) {
        if ('sha256' in pdf && !pdfs.has(pdf.sha256)) pdfs.set(pdf.sha256, pdf);
      }
      const waiting = pdfs.values();
      const send = async (): Promise<void> => {
        for (const pdf of waiting) await uploadPdf(storage, ingestion.store, pdf);
      };
      await Promise.all(Array.from({ length: sentAtOnce }, send));
      return pages;
    },
    files: (ingestion, page) => read(ingestion, filePageFile(page), filePageSchema),
    savePlan: (ingestion, page, plan) => write(ingestion, planFile(page), plan),
    saveFailures: (ingestion, page, failed) => write(ingestion, failuresFile(page), failed),
    saveIgnored: (ingestion, ignored) => write(ingestion, ignoredFile, ignored),
    progress: async (ingestion) => {
      const names = new Set(await storage.list(ingestionFolder(ingestion)));
      const pages: ReadPage[] = [];
      // An import has no lists of files.
      const isPage = (page: number): boolean =>
        names.has(filePageFile(page)) || names.has(planFile(page));
      for (let page = 1; isPage(page); page += 1) {
        pages.push({
          plan: await read(ingestion, planFile(page), ingestionPlanSchema),
          failed: await read(ingestion, failuresFile(page), failedFilesSchema, []),
        });
      }
      return ingestionProgress(pages);
    },
    ignored: (ingestion) => read(ingestion, ignoredFile, ignoredPdfsSchema, []),
    remove: (ingestion) => storage.removeFolder(ingestionFolder(ingestion)),
  };
}

/** The SHA-256 of the PDFs that ingestions were given. @param but - the id of one that is over */
export async function pdfsOfIngestions(
  storage: ObjectStorage,
  store: StoreName,
  but?: string,
): Promise<ReadonlySet<string>> {
  const given = new Set<string>();
  const folder = ingestionsOf(store);
  for (const id of await storage.list(folder)) {
    if (!id.endsWith('/') || id === `${but}/`) continue;
    for (const name of (await storage.list(`${folder}/${id.slice(0, -1)}`)).filter(isFilePage)) {
      const text = await readText(storage, `${folder}/${id}${name}`);
      // One that is being removed at this moment, or damaged, has none.
      const files = filePageSchema.safeParse(jsonIn(text ?? '')).data ?? [];
      for (const file of files) if ('sha256' in file) given.add(file.sha256);
    }
  }
  return given;
}

async function removeAbandoned(storage: ObjectStorage, store: StoreName): Promise<void> {
  const folder = ingestionsOf(store);
  for (const name of await storage.list(folder)) {
    if (!name.endsWith('/')) continue;
    const path = `${folder}/${name.slice(0, -1)}`;
    const storedAtMs = (await storage.storedAtMs(path)) ?? Infinity;
    if (Date.now() - storedAtMs > abandonedAfterMs) await storage.removeFolder(path);
  }
}
