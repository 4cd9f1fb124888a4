import { rootCause } from '@temporalio/common';
import {
  continueAsNew,
  executeChild,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { IngestionActivities } from '../activities/ingestion/ingestion.js';
import type { ReadPaperInput } from '../activities/ingestion/read-paper.js';
import { paperWorkflowId } from '../domain/ids.js';
import { defaultConflictPolicy } from '../domain/stores/add-papers.js';
import {
  readingQueue,
  type FailedFile,
  type IngestPapersInput,
  type PdfFile,
} from '../domain/stores/ingestion.js';
import { buildStore, storeWork, waiting } from './build-store.js';

const { planIngestion, saveFailures, discardPapers } = proxyActivities<IngestionActivities>({
  ...storeWork,
  retry: { ...waiting, maximumAttempts: 100 },
});

/**
 * Reads PDFs, each in a child of its own, and builds the next generation of the store from all that can be read. The files
 * of its folder say which PDFs, and in the end what has become of each. Fails with `TitleConflict` by the policy `raise`.
 */
export async function ingestPapersWorkflow({
  ingestion,
  pages,
  onConflict = defaultConflictPolicy,
  ...input
}: IngestPapersInput): Promise<void> {
  const { store } = ingestion;
  let { nextPage, ...counts } = input.progress ?? { nextPage: 1, read: 0, unchanged: 0, failed: 0 };
  for (; nextPage <= pages; nextPage += 1) {
    if (workflowInfo().continueAsNewSuggested) {
      const progress = { nextPage, ...counts };
      await continueAsNew<typeof ingestPapersWorkflow>({ ingestion, pages, onConflict, progress });
    }
    const { fresh, unchanged, failed } = await planIngestion({ ingestion, page: nextPage });
    const unreadable = (await Promise.all(fresh.map(readInChild))).flatMap((failure) =>
      failure === null ? [] : [failure],
    );
    if (unreadable.length > 0) {
      await saveFailures({ ingestion, page: nextPage, failed: unreadable });
    }
    counts = {
      read: counts.read + fresh.length - unreadable.length,
      unchanged: counts.unchanged + unchanged,
      failed: counts.failed + failed + unreadable.length,
    };
    setCurrentDetails(`${counts.read} PDFs read, ${counts.failed} unreadable`);
  }
  if (counts.read + counts.unchanged > 0) {
    await buildStore({ store, ingestion, onConflict });
    await discardPapers({ ingestion });
  }
  setCurrentDetails(`${counts.read} PDFs read, ${counts.failed} unreadable, store built`);

  async function readInChild(pdf: PdfFile): Promise<FailedFile | null> {
    try {
      await executeChild(ingestPaperWorkflow, {
        workflowId: paperWorkflowId(store, pdf.sha256),
        args: [{ store, ...pdf }],
        staticSummary: pdf.file,
      });
      return null;
    } catch (error) {
      if (isCancellation(error)) throw error;
      return { file: pdf.file, reason: rootCause(error) ?? 'It cannot be read.' };
    }
  }
}

/** One PDF of an ingestion. Fails, with the reason in one sentence, where the PDF cannot be read. */
export async function ingestPaperWorkflow(
  input: ReadPaperInput,
): Promise<{ readonly pages: number }> {
  const { readPaper } = proxyActivities<IngestionActivities>({
    taskQueue: readingQueue(workflowInfo().taskQueue),
    // How long each step of the reading may take is said where it is done.
    startToCloseTimeout: '12 hours',
    heartbeatTimeout: '30 seconds',
    retry: { ...waiting, maximumAttempts: 5 },
  });
  return readPaper(input);
}
