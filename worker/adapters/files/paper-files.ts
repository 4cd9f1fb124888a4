import { join } from 'node:path';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { PaperFilesPort } from '../../../activities/ports/stores.js';
import { jsonIn } from '../../../domain/formats/json.js';
import type { StoreName } from '../../../domain/ids.js';
import { besidePdfSchema } from '../../../domain/stores/paper-parsers.js';
import { keptPaperSchema } from '../../../domain/stores/paper-tables.js';
import {
  besidePdfFile,
  extractedPaperFile,
  pdfCopyFile,
  storeFolder,
} from '../../../domain/stores/store-manifest.js';
import { accessingFiles } from '../../../storage/atomic-file.js';
import type { LocalCopies } from '../../../storage/stores/local-copies.js';
import { readText, type ObjectStorage } from '../../../storage/objects.js';
import { givenFile } from '../../../storage/stores/uploads.js';
import { nullIfLost } from './stores.js';

/** What is kept of PDFs in the folders of stores. */
export function createPaperFiles(storage: ObjectStorage, copies: LocalCopies): PaperFilesPort {
  const inStore = (store: StoreName, file: string): string => `${storeFolder(store)}/${file}`;

  const readJson = async (path: string): Promise<unknown> =>
    jsonIn(
      (await accessingFiles(`${path} cannot be read`, () => readText(storage, path))) ?? 'null',
    );

  return {
    fingerprint: async (path) => {
      const given = await givenFile(path);
      if ('sha256' in given) return given.sha256;
      throw new PortFailure('UnreadablePdf', given.reason);
    },
    kept: async (store, sha256) => {
      const json = await readJson(inStore(store, extractedPaperFile(sha256)));
      return keptPaperSchema.safeParse(json).data ?? null;
    },
    keep: async (store, paper, pdf) => {
      const copy = inStore(store, pdfCopyFile(paper.sha256));
      const path = inStore(store, extractedPaperFile(paper.sha256));
      await accessingFiles(`${path} cannot be written`, async () => {
        // First, since the text marks the paper as read.
        if (pdf !== null && pdf !== copies.pathOf(copy)) await storage.upload(copy, pdf);
        await storage.write(path, JSON.stringify(paper));
      });
    },
    pdf: async (store, sha256) => {
      const copy = inStore(store, pdfCopyFile(sha256));
      return accessingFiles(`${copy} cannot be read`, async () => {
        const isInPlace = storage.fileOf(copy) !== null;
        if (isInPlace && (await storage.version(copy)) === null) return null;
        return copies.file(copy, { sha256 }).catch(nullIfLost);
      });
    },
    beside: async (store, sha256) => {
      const json = await readJson(inStore(store, besidePdfFile(sha256)));
      const kept = besidePdfSchema.safeParse(json).data;
      if (kept === undefined) return null;
      const folder = inStore(store, kept.folder);
      for (const { name, ...content } of kept.files) {
        await copies.file(`${folder}/${name}`, content);
      }
      return join(copies.pathOf(folder), kept.pdf);
    },
    discard: async (store, sha256) => {
      for (const file of [pdfCopyFile(sha256), besidePdfFile(sha256)]) {
        const path = inStore(store, file);
        await accessingFiles(`${path} cannot be removed`, () => storage.remove(path));
      }
    },
  };
}
