import type { StoreName } from '../../domain/ids.js';
import type { FailedFile, Ingestion, PdfFile } from '../../domain/stores/ingestion.js';
import type { Parser } from '../../domain/stores/paper-parsers.js';
import { reportingFailures, whileHeartbeating } from '../failures.js';
import type { EmbeddersPort } from '../ports/model.js';
import type { StoreContentsPort } from '../ports/store-contents.js';
import type {
  CollectionsPort,
  IngestionFilesPort,
  PaperFilesPort,
  PaperParsersPort,
  StoreWriterPort,
} from '../ports/stores.js';
import { removeSuperseded } from './drop-store.js';
import { requireReady } from './embedder.js';
import { isKept } from './read-paper.js';

/** A page of the papers of an ingestion. */
export interface PageOfFiles {
  readonly ingestion: Ingestion;
  /** From 1. */
  readonly page: number;
  /** Must be usable if something of the page is new. @defaultValue an earlier page has asked it */
  readonly embedder?: string;
}

/**
 * Sorts a page of files into those to be read, those the store already has, and those that cannot be opened, and saves that.
 * Counts the latter two. Fails with `EmbedderMissing` where there is something to be read and `embedder` cannot be used.
 */
export function createPlanIngestion({
  embedders,
  ingestionFiles,
  paperFiles,
  paperParsers,
  storeWriter,
}: {
  readonly embedders: EmbeddersPort;
  readonly ingestionFiles: IngestionFilesPort;
  readonly paperFiles: PaperFilesPort;
  readonly paperParsers: PaperParsersPort;
  readonly storeWriter: StoreWriterPort;
}): (input: PageOfFiles & { readonly parsers?: readonly Parser[] }) => Promise<{
  readonly fresh: readonly PdfFile[];
  readonly unchanged: number;
  readonly failed: number;
}> {
  return ({ ingestion, page, parsers, embedder }) =>
    reportingFailures(() =>
      whileHeartbeating(async (signal) => {
        const { store } = ingestion;
        const manifest = await storeWriter.manifest(store);
        const present = new Set(manifest?.papers.map(({ sha256 }) => sha256));
        const fresh = new Map<string, PdfFile>();
        const unchanged: string[] = [];
        const failed: FailedFile[] = [];
        for (const given of await ingestionFiles.files(ingestion, page)) {
          signal.throwIfAborted();
          if ('reason' in given) {
            failed.push(given);
            continue;
          }
          const { file, sha256 } = given;
          // First, since a parser without an address is wrong input, whatever the store has.
          const beside = (await paperFiles.beside(store, sha256)) ?? sha256;
          const sources = await paperParsers.find(beside, parsers);
          const known =
            fresh.has(sha256) ||
            (present.has(sha256) &&
              (await isKept(paperFiles, { store, sha256, sources, parsers })));
          if (known) unchanged.push(file);
          else fresh.set(sha256, { file, sha256 });
        }
        if (fresh.size > 0 && embedder !== undefined) {
          await requireReady(embedders(embedder), signal);
        }
        const plan = { fresh: [...fresh.values()], unchanged, failed };
        await ingestionFiles.savePlan(ingestion, page, plan);
        return { fresh: plan.fresh, unchanged: unchanged.length, failed: failed.length };
      }),
    );
}

/** Saves which PDFs of a page cannot be read, and removes those that the store does not hold. */
export function createSaveFailures({
  ingestionFiles,
  paperFiles,
  storeWriter,
}: {
  readonly ingestionFiles: IngestionFilesPort;
  readonly paperFiles: PaperFilesPort;
  readonly storeWriter: StoreWriterPort;
}): (input: PageOfFiles & { readonly failed: readonly FailedFile[] }) => Promise<void> {
  return ({ ingestion, page, failed }) =>
    reportingFailures(async () => {
      await ingestionFiles.saveFailures(ingestion, page, failed);
      const { store } = ingestion;
      const manifest = await storeWriter.manifest(store);
      const held = new Set(manifest?.papers.map(({ sha256 }) => sha256));
      const unreadable = new Set(failed.map(({ file }) => file));
      for (const given of await ingestionFiles.files(ingestion, page)) {
        if (!('sha256' in given) || !unreadable.has(given.file) || held.has(given.sha256)) continue;
        await paperFiles.discard(store, given.sha256);
      }
    });
}

/** Puts the draft into use and removes the earlier generations that nothing uses. */
export function createPublishStore({
  collections,
  contents,
  storeWriter,
}: {
  readonly collections: CollectionsPort;
  readonly contents: StoreContentsPort;
  readonly storeWriter: StoreWriterPort;
}): (input: { readonly store: StoreName }) => Promise<void> {
  return ({ store }) =>
    reportingFailures(() =>
      whileHeartbeating(async () => {
        const draft = await storeWriter.draft(store);
        // Absent if an earlier attempt was interrupted after it had published the draft.
        if (draft !== null) await storeWriter.publish(draft);
        await removeSuperseded({ collections, contents }, store);
      }),
    );
}
