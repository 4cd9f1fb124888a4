import { rootCause } from '@temporalio/common';
import {
  continueAsNew,
  executeChild,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { BuildTablesInput } from '../activities/ingestion/build-tables.js';
import type { IngestionActivities } from '../activities/ingestion/ingestion.js';
import type { ReadPaperInput } from '../activities/ingestion/read-paper.js';
import { paperWorkflowId } from '../domain/ids.js';
import { defaultConflictPolicy } from '../domain/stores/add-papers.js';
import {
  ingestionResult,
  addPlannedFiles,
  addReadings,
  type IngestionProgress,
  type IngestPapersInput,
  type IngestPapersResult,
  type PdfFile,
  type PdfReadingOutcome,
} from '../domain/stores/ingestion.js';
import { homeHere } from './naming.js';

const retry = { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 100 };
const { planIngestion, buildTables, publishStore } = proxyActivities<IngestionActivities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '1 minute',
  retry,
});
const { buildCollections } = proxyActivities<IngestionActivities>({
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: '1 minute',
  retry,
});

/** Files looked at by one activity, and PDFs read at the same time. */
const pageSize = 200;
const readers = 4;

/**
 * Reads PDFs, each in a child of its own, and builds the next generation of the store from all that can be read.
 * The store in use stays as it is until the new one is whole. Fails with `TitleConflict` by the policy `raise`.
 */
export async function ingestPapersWorkflow({
  store,
  files,
  onConflict = defaultConflictPolicy,
  rebuild = false,
  ifChanged = false,
  parsers,
  ...input
}: IngestPapersInput): Promise<IngestPapersResult> {
  let progress: IngestionProgress = input.progress ?? { read: [], unchanged: [], failed: [] };
  for (let offset = 0; offset < files.length; offset += pageSize) {
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof ingestPapersWorkflow>({
        store,
        files: files.slice(offset),
        onConflict,
        rebuild,
        ifChanged,
        ...(parsers && { parsers }),
        progress,
      });
    }
    const page = files.slice(offset, offset + pageSize);
    const planned = addPlannedFiles(
      progress,
      await planIngestion({ store, files: page, ...(parsers && { parsers }) }),
    );
    progress = addReadings(planned.progress, await mapEach(planned.toRead, readers, readInChild));
    setCurrentDetails(`${progress.read.length} PDFs read, ${progress.failed.length} unreadable`);
  }
  const known = progress.read.length + progress.unchanged.length;
  if (known === 0 && !rebuild) return ingestionResult(progress, []);

  const added = progress.read.map(({ sha256 }) => sha256);
  const what = `${added.length} PDFs read`;
  const ignored = await buildStore({ store, added, onConflict, rebuild, ifChanged }, what);
  const result = ingestionResult(progress, ignored);
  setCurrentDetails(`${result.ingested.length} PDFs ingested, ${result.failed.length} not`);
  return result;

  async function readInChild(pdf: PdfFile): Promise<PdfReadingOutcome> {
    try {
      await executeChild(ingestPaperWorkflow, {
        workflowId: paperWorkflowId(homeHere(), store, pdf.sha256),
        args: [{ store, ...pdf, ...(parsers && { parsers }) }],
        staticSummary: pdf.file,
      });
      return { kind: 'read', pdf };
    } catch (error) {
      if (isCancellation(error)) throw error;
      return { kind: 'failed', file: pdf.file, reason: rootCause(error) ?? 'It cannot be read.' };
    }
  }
}

/**
 * Builds the next generation of a store and puts it into use, unless the one in use has these papers. Resolves to the SHA-256 of
 * the added papers that were left out. Fails with `TitleConflict` by the policy `raise`.
 * @param done - what was done before, in words
 */
export async function buildStore(
  input: BuildTablesInput,
  done: string,
): Promise<readonly string[]> {
  const { store, rebuild = false } = input;
  setCurrentDetails(`${done}, building tables`);
  const { kind, ignored } = await buildTables(input);
  if (kind === 'built') {
    setCurrentDetails(`${done}, tables built, building collections`);
    await buildCollections({ store, rebuild });
    await publishStore({ store });
  }
  return ignored;
}

/** The results of `work` in the order of the items, at most `limit` of which are worked on at a time. */
async function mapEach<T, Result>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of rest) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: limit }, lane));
  return results;
}

const { readPaper } = proxyActivities<IngestionActivities>({
  // The server of a parser may take half an hour.
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 10 },
});

/** One PDF of an ingestion. Fails, with the reason in one sentence, where the PDF cannot be read. */
export async function ingestPaperWorkflow(
  input: ReadPaperInput,
): Promise<{ readonly pages: number }> {
  return readPaper(input);
}
