import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { PortFailure } from '../activities/ports/port-failure.js';
import type { IngestionFilesPort } from '../activities/ports/stores.js';
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
  ingestionsFolder,
  planFile,
  type Ingestion,
  type ReadPage,
} from '../domain/stores/ingestion.js';
import { storeFolder } from '../domain/stores/store-manifest.js';
import { jsonText, nullIfAbsent, readJsonFile, writeFileAtomically } from './atomic-file.js';

/** A folder in which nothing was written for so long belongs to an ingestion whose command was killed. */
const abandonedAfterMs = 48 * 60 * 60 * 1000;

/** The folders of ingestions, in those of their stores. @param home - TURNWISE_HOME */
export function createFolderIngestions(home: string): IngestionFilesPort {
  const folderOf = ({ store, id }: Ingestion): string =>
    join(home, storeFolder(store), ingestionsFolder, id);

  const write = (ingestion: Ingestion, file: string, value: unknown): Promise<void> =>
    writeFileAtomically(join(folderOf(ingestion), file), jsonText(value));

  async function read<T>(
    ingestion: Ingestion,
    file: string,
    schema: z.ZodType<T>,
    absent?: T,
  ): Promise<T> {
    const path = join(folderOf(ingestion), file);
    const json = await readJsonFile(path);
    if (json === undefined && absent !== undefined) return absent;
    const parsed = schema.safeParse(json);
    if (parsed.success) return parsed.data;
    throw new PortFailure('IngestionLost', `${path} is missing or damaged: ingest the PDFs again.`);
  }

  return {
    create: async (ingestion, files) => {
      await removeAbandoned(dirname(folderOf(ingestion)));
      const pages = Math.ceil(files.length / filesPerPage);
      for (let page = 1; page <= pages; page += 1) {
        const paths = files.slice((page - 1) * filesPerPage, page * filesPerPage);
        await write(ingestion, filePageFile(page), paths);
      }
      return pages;
    },
    files: (ingestion, page) => read(ingestion, filePageFile(page), filePageSchema),
    savePlan: (ingestion, page, plan) => write(ingestion, planFile(page), plan),
    saveFailures: (ingestion, page, failed) => write(ingestion, failuresFile(page), failed),
    saveIgnored: (ingestion, ignored) => write(ingestion, ignoredFile, ignored),
    progress: async (ingestion) => {
      const names = new Set(await readdir(folderOf(ingestion)).catch(nullIfAbsent));
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
    remove: async (ingestion) => {
      const folder = folderOf(ingestion);
      await rm(folder, { force: true, recursive: true });
      await removeIfEmpty(dirname(folder));
      await removeIfEmpty(dirname(dirname(folder)));
    },
  };
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of (await readdir(folder).catch(nullIfAbsent)) ?? []) {
    const path = join(folder, name);
    const { mtimeMs } = (await stat(path).catch(nullIfAbsent)) ?? { mtimeMs: Infinity };
    if (Date.now() - mtimeMs > abandonedAfterMs) await rm(path, { force: true, recursive: true });
  }
}

async function removeIfEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch(nullIfAbsent);
  // Something may be written into it at this moment.
  if (names?.length === 0) await rmdir(folder).catch(() => undefined);
}
