import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { DroppedStore } from '../../activities/ingestion/drop-store.js';
import type { IngestionActivities } from '../../activities/ingestion/ingestion.js';
import type { StoreName } from '../../domain/ids.js';
import {
  isBuildNeeded,
  type CheckStoreInput,
  type CheckStoreResult,
  type LostPaper,
} from '../../domain/stores/store-check.js';
import { importDatabaseWorkflow } from './import-database.js';
import { buildStore, storeWork, waiting } from './ingest-papers.js';

// Fewer attempts than an ingestion has: somebody waits for the result of a check.
const { checkStore, restorePapers, removeLeftovers, dropStore } =
  proxyActivities<IngestionActivities>({
    ...storeWork,
    retry: { ...waiting, maximumAttempts: 12 },
  });

/** Papers that one activity restores, and lost papers that a result names. */
const pageSize = 100;
const maxLost = 1_000;

/** Compares all parts of a store, and where it is to repair, mends what it can and compares again. */
export async function checkStoreWorkflow({
  store,
  repair,
  embedder,
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
    const { database } = found;
    await (database === null
      ? buildStore({ store, ingestion: null, embedder })
      : importDatabaseWorkflow({ store, database, embedder, rebuild: true }));
  }
  await removeLeftovers({ store });
  setCurrentDetails('comparing the parts of the store again');
  return { found, left: await checkStore({ store }), lost };
}

/** Removes what a store has of generations that are neither in use nor of an open run, nor have one of these fingerprints. */
export async function freeStoreWorkflow(input: {
  readonly store: StoreName;
  readonly kept: readonly string[];
}): Promise<void> {
  await removeLeftovers(input);
}

/** Removes a store with its collections of all generations. */
export async function dropStoreWorkflow({
  store,
}: {
  readonly store: StoreName;
}): Promise<DroppedStore> {
  return dropStore({ store });
}
