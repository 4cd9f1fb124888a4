import {
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { IngestionActivities } from '../../activities/ingestion/ingestion.js';
import {
  addGaps,
  addCounts,
  noneYet,
  type Gap,
  type ImportPapersInput,
} from '../../domain/stores/ingestion.js';
import { buildStore, storeWork, waiting } from './ingest-papers.js';

const { planImport, importPapers } = proxyActivities<IngestionActivities>({
  ...storeWork,
  retry: { ...waiting, maximumAttempts: 100 },
});

/**
 * Imports papers that another system has read, and builds the next generation of the store from all that can be used. The
 * files of the ingestion's folder say in the end what has become of each. Fails with `UnreadableImport` where what was given has
 * another shape, and with `TitleConflict` by the policy `raise`.
 */
export async function importPapersWorkflow({
  ingestion,
  embedder,
  onConflict,
  ...input
}: ImportPapersInput): Promise<{ readonly gaps: readonly Gap[] }> {
  const plan = await planImport({ ingestion });
  let { nextPage, gaps, ...counts } = input.progress ?? {
    ...{ nextPage: 1, gaps: plan.gaps },
    ...noneYet,
  };
  for (; nextPage <= plan.pages; nextPage += 1) {
    if (workflowInfo().continueAsNewSuggested) {
      const progress = { nextPage, gaps, ...counts };
      await continueAsNew<typeof importPapersWorkflow>({
        ingestion,
        embedder,
        onConflict,
        progress,
      });
    }
    const page = await importPapers({
      ...{ ingestion, page: nextPage },
      ...(counts.read === 0 && { embedder }),
    });
    counts = addCounts(counts, page);
    gaps = addGaps(gaps, page.gaps);
    setCurrentDetails(`${nextPage} of ${plan.pages} pages of papers read`);
  }
  if (counts.read + counts.unchanged > 0) {
    await buildStore({ store: ingestion.store, ingestion, embedder, onConflict });
  }
  setCurrentDetails(`${counts.read} papers read, ${counts.failed} unusable, store built`);
  return { gaps };
}
