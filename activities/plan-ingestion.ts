import type { FailedFile, PdfFile } from '../domain/stores/ingestion.js';
import type { StoreName } from '../domain/ids.js';
import { reportingFailures } from './failures.js';
import { whileHeartbeating } from './heartbeat.js';
import type { PaperFilesPort } from './ports/paper-files.js';
import { PortFailure } from './ports/port-failure.js';
import type { StoreWriterPort } from './ports/store-writer.js';

export interface IngestionPlan {
  /** PDFs that are new to the store, or were kept under another extraction version. */
  readonly fresh: readonly PdfFile[];
  readonly unchanged: readonly string[];
  readonly failed: readonly FailedFile[];
}

/** Tells which of the files there is anything to do for. */
export function createPlanIngestion({
  paperFiles,
  storeWriter,
}: {
  readonly paperFiles: PaperFilesPort;
  readonly storeWriter: StoreWriterPort;
}): (input: {
  readonly store: StoreName;
  readonly files: readonly string[];
}) => Promise<IngestionPlan> {
  return ({ store, files }) =>
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
            const known =
              fresh.has(sha256) ||
              (present.has(sha256) && (await paperFiles.kept(store, sha256)) !== null);
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
