import { rootCause } from '@temporalio/common';
import {
  continueAsNew,
  executeChild,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { BuildTablesInput } from '../../activities/ingestion/build-tables.js';
import type { IngestionActivities } from '../../activities/ingestion/ingestion.js';
import type { ReadPaperInput } from '../../activities/ingestion/read-paper.js';
import { paperWorkflowId } from '../../domain/ids.js';
import { defaultConflictPolicy } from '../../domain/stores/add-papers.js';
import {
  addCounts,
  noneYet,
  readingQueue,
  type FailedFile,
  type IngestPapersInput,
  type PdfFile,
} from '../../domain/stores/ingestion.js';
import { storeHeartbeatTimeout } from '../../domain/worker-timeouts.js';
import { homeHere } from '../signals.js';

/** The heartbeat tells that a worker is lost, so the time may be that of a large store. */
export const storeWork = {
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: storeHeartbeatTimeout,
} as const;

export const waiting = { initialInterval: '1 second', maximumInterval: '30 seconds' } as const;

const {
  planIngestion,
  saveFailures,
  buildTables,
  buildCollections,
  publishStore,
  removeLeftovers,
} = proxyActivities<IngestionActivities>({
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
  embedder,
  parsers,
  keepsScans = false,
  ...input
}: IngestPapersInput): Promise<void> {
  const { store } = ingestion;
  const given = parsers && { parsers };
  let { nextPage, ...counts } = input.progress ?? { nextPage: 1, ...noneYet };
  for (; nextPage <= pages; nextPage += 1) {
    if (workflowInfo().continueAsNewSuggested) {
      const next = {
        ingestion,
        pages,
        embedder,
        onConflict,
        ...given,
        keepsScans,
        progress: { nextPage, ...counts },
      };
      await continueAsNew<typeof ingestPapersWorkflow>(next);
    }
    const { fresh, unchanged, failed } = await planIngestion({
      ingestion,
      page: nextPage,
      ...(counts.read === 0 && { embedder }),
      ...given,
    });
    const unreadable = (await Promise.all(fresh.map(readInChild))).flatMap((failure) =>
      failure === null ? [] : [failure],
    );
    if (unreadable.length > 0) {
      await saveFailures({ ingestion, page: nextPage, failed: unreadable });
    }
    counts = addCounts(counts, {
      read: fresh.length - unreadable.length,
      unchanged,
      failed: failed + unreadable.length,
    });
    setCurrentDetails(`${counts.read} PDFs read, ${counts.failed} unreadable`);
  }
  if (counts.read + counts.unchanged > 0)
    await buildStore({ store, ingestion, embedder, onConflict });
  setCurrentDetails(`${counts.read} PDFs read, ${counts.failed} unreadable, store built`);

  async function readInChild(pdf: PdfFile): Promise<FailedFile | null> {
    try {
      await executeChild(ingestPaperWorkflow, {
        workflowId: paperWorkflowId(homeHere(), store, pdf.sha256),
        args: [{ store, ...pdf, ...given, keepsScans }],
        staticSummary: pdf.file,
      });
      return null;
    } catch (error) {
      if (isCancellation(error)) throw error;
      return { file: pdf.file, reason: rootCause(error) ?? 'It cannot be read.' };
    }
  }
}

/**
 * Builds the next generation of a store and puts it into use, unless the one in use is what would be built. That one stays
 * as it is until the new one is whole. After an ingestion nothing is kept of papers that the store does not hold. Fails with
 * `TitleConflict` by the policy `raise`.
 */
export async function buildStore(input: BuildTablesInput): Promise<void> {
  const { store, ingestion, embedder } = input;
  setCurrentDetails('building tables');
  if ((await buildTables(input)).kind === 'built') {
    setCurrentDetails('tables built, building collections');
    await buildCollections({ store, embedder, rebuild: ingestion === null });
    await publishStore({ store });
  }
  if (ingestion !== null) await removeLeftovers({ store, ingestion });
}

/** One PDF of an ingestion. Fails, with the reason in one sentence, where the PDF cannot be read. */
export async function ingestPaperWorkflow(
  input: ReadPaperInput,
): Promise<{ readonly pages: number }> {
  const { readPaper } = proxyActivities<IngestionActivities>({
    taskQueue: readingQueue(workflowInfo().taskQueue),
    // How long each step of the reading may take, and the server of a parser, is said where it is done.
    ...storeWork,
    retry: { ...waiting, maximumAttempts: 10 },
  });
  return readPaper(input);
}
