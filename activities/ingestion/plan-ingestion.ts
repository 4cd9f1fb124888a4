import type { StoreName } from '../../domain/ids.js';
import type { FailedFile, PdfFile } from '../../domain/stores/ingestion.js';
import { reportingFailures, whileHeartbeating } from '../failures.js';
import { PortFailure } from '../ports/port-failure.js';
import type { Parser } from '../../domain/stores/paper-parsers.js';
import type {
  CollectionsPort,
  PaperFilesPort,
  PaperParsersPort,
  StoreWriterPort,
} from '../ports/stores.js';
import { isKept } from './read-paper.js';

export interface IngestionPlan {
  /** PDFs that are new to the store, or were read by another version of the extraction. */
  readonly fresh: readonly PdfFile[];
  readonly unchanged: readonly string[];
  readonly failed: readonly FailedFile[];
}

/** Sorts the files into those to be read, those the store already has, and those that cannot be opened. */
export function createPlanIngestion({
  paperFiles,
  paperParsers,
  storeWriter,
}: {
  readonly paperFiles: PaperFilesPort;
  readonly paperParsers: PaperParsersPort;
  readonly storeWriter: StoreWriterPort;
}): (input: {
  readonly store: StoreName;
  readonly files: readonly string[];
  readonly parsers?: readonly Parser[];
}) => Promise<IngestionPlan> {
  return ({ store, files, parsers }) =>
    reportingFailures(() =>
      whileHeartbeating(async (signal) => {
        const manifest = await storeWriter.manifest(store);
        const present = new Set(manifest?.papers.map(({ sha256 }) => sha256));
        const fresh = new Map<string, PdfFile>();
        const unchanged: string[] = [];
        const failed: FailedFile[] = [];
        for (const file of files) {
          signal.throwIfAborted();
          try {
            const sha256 = await paperFiles.fingerprint(file);
            // First, since a parser without an address is wrong input, whatever the store has.
            const sources = await paperParsers.find(file, parsers);
            const known =
              fresh.has(sha256) ||
              (present.has(sha256) &&
                (await isKept(paperFiles, { store, sha256, sources, parsers })));
            if (known) unchanged.push(file);
            else fresh.set(sha256, { file, sha256 });
          } catch (error) {
            if (!(error instanceof PortFailure) || error.type !== 'UnreadablePdf') throw error;
            failed.push({ file, reason: error.message });
          }
        }
        return { fresh: [...fresh.values()], unchanged, failed };
      }),
    );
}

/** Puts the draft into use and removes the collections of earlier generations. */
export function createPublishStore({
  collections,
  storeWriter,
}: {
  readonly collections: CollectionsPort;
  readonly storeWriter: StoreWriterPort;
}): (input: { readonly store: StoreName }) => Promise<void> {
  return ({ store }) =>
    reportingFailures(() =>
      whileHeartbeating(async () => {
        const draft = await storeWriter.draft(store);
        // Absent if an earlier attempt was interrupted after it had published the draft.
        if (draft !== null) await storeWriter.publish(draft);
        const manifest = await storeWriter.manifest(store);
        if (manifest !== null) await collections.dropOthers(manifest);
      }),
    );
}
