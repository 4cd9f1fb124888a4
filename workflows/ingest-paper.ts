import { proxyActivities } from '@temporalio/workflow';
import type { IngestionActivities } from '../activities/ingestion.js';
import type { ReadPaperInput } from '../activities/read-paper.js';

const { readPaper } = proxyActivities<IngestionActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 5 },
});

/** One PDF of an ingestion. Fails, with the reason in one sentence, where the PDF cannot be read. */
export async function ingestPaperWorkflow(
  input: ReadPaperInput,
): Promise<{ readonly pages: number }> {
  return readPaper(input);
}
