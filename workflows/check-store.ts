import { executeChild, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { DroppedStore } from '../activities/ingestion/drop-store.js';
import type { IngestionActivities } from '../activities/ingestion/ingestion.js';
import { rebuildWorkflowId, type StoreName } from '../domain/ids.js';
import {
  isBuildNeeded,
  type CheckStoreInput,
  type CheckStoreResult,
  type LostPaper,
} from '../domain/stores/store-check.js';
import { importDatabaseWorkflow } from './import-database.js';
import { ingestPapersWorkflow } from './ingest-papers.js';
import { homeHere } from './naming.js';

// Fewer attempts than an ingestion has: somebody waits for the result of a check.
const retry = { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 12 };
const { checkStore, removeLeftovers, dropStore } = proxyActivities<IngestionActivities>({
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: '1 minute',
  retry,
});
const { restorePapers } = proxyActivities<IngestionActivities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '1 minute',
  retry,
});

/** Papers that one activity restores, and lost papers that a result names. */
const pageSize = 100;
const maxLost = 1_000;

/** Compares all parts of a store, and where it is to repair, mends what it can and compares again. */
export async function checkStoreWorkflow({
  store,
  repair,
}: CheckStoreInput): Promise<CheckStoreResult> {
  setCurrentDetails('comparing the parts of the store');
  const found = await checkStore({ store });
  if (!repair || found.findings.length === 0) return { found, left: null, lost: [] };

  setCurrentDetails('restoring texts and PDFs');
  const lost: LostPaper[] = [];
  let restored = 0;
  for (let offset = 0; ; offset += pageSize) {
    const page = await restorePapers({ store, offset, limit: pageSize });
    if (page.papers === 0) break;
    lost.push(...page.lost.slice(0, maxLost - lost.length));
    restored += page.restored;
  }
  if (isBuildNeeded(found, restored)) {
    setCurrentDetails('building the store anew');
    const workflowId = rebuildWorkflowId(homeHere(), store);
    const { database } = found;
    await (database === null
      ? executeChild(ingestPapersWorkflow, {
          workflowId,
          args: [{ store, files: [], rebuild: true }],
        })
      : executeChild(importDatabaseWorkflow, {
          workflowId,
          args: [{ store, database, rebuild: true }],
        }));
  }
  await removeLeftovers({ store });
  setCurrentDetails('comparing the parts of the store again');
  return { found, left: await checkStore({ store }), lost };
}

/** Removes a store with its collections of all generations. */
export async function dropStoreWorkflow({
  store,
}: {
  readonly store: StoreName;
}): Promise<DroppedStore> {
  return dropStore({ store });
}
