import {
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { IngestionActivities } from '../activities/ingestion/ingestion.js';
import {
  addGaps,
  type ImportPapersInput,
  type ImportPapersResult,
} from '../domain/stores/imports/import-papers.js';
import { ingestionResult } from '../domain/stores/ingestion.js';
import { buildStore } from './ingest-papers.js';

const { planImport, importPapers } = proxyActivities<IngestionActivities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 100 },
});

/** Papers that one activity imports. */
const pageSize = 100;

/**
 * Imports papers that another system has read, and builds the next generation of the store from all that can be used. Fails
 * with `UnreadableImport` where the source has another shape, and with `TitleConflict` by the policy `raise`.
 */
export async function importPapersWorkflow({
  store,
  source,
  onConflict,
  ...input
}: ImportPapersInput): Promise<ImportPapersResult> {
  const plan = await planImport({ source });
  let progress = input.progress ?? { read: [], unchanged: [], failed: [], gaps: plan.gaps };
  for (let offset = doneIn(progress); offset < plan.papers; offset = doneIn(progress)) {
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof importPapersWorkflow>({ store, source, onConflict, progress });
    }
    const page = await importPapers({ store, source, offset, limit: pageSize });
    progress = {
      read: [...progress.read, ...page.read],
      unchanged: [...progress.unchanged, ...page.unchanged],
      failed: [...progress.failed, ...page.failed],
      gaps: addGaps(progress.gaps, page.gaps),
    };
    setCurrentDetails(`${doneIn(progress)} of ${plan.papers} papers read`);
  }
  const { read, unchanged, gaps } = progress;
  if (read.length + unchanged.length === 0) return { ...ingestionResult(progress, []), gaps };

  const added = read.map(({ sha256 }) => sha256);
  const bm25 = source.bm25 ?? undefined;
  const ignored = await buildStore(
    { store, added, onConflict, bm25 },
    `${added.length} papers read`,
  );
  const result = ingestionResult(progress, ignored);
  setCurrentDetails(`${result.ingested.length} papers imported, ${result.failed.length} not`);
  return { ...result, gaps };
}

/** Every paper is in one of the lists, so that their lengths say where to go on. */
const doneIn = ({
  read,
  unchanged,
  failed,
}: Pick<NonNullable<ImportPapersInput['progress']>, 'read' | 'unchanged' | 'failed'>): number =>
  read.length + unchanged.length + failed.length;
