import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { CopyDatabaseInput } from '../../activities/ingestion/import-database.js';
import type { IngestionActivities } from '../../activities/ingestion/ingestion.js';
import { storeWork, waiting } from './ingest-papers.js';

const { copyDatabase, buildCollections, publishStore } = proxyActivities<IngestionActivities>({
  ...storeWork,
  retry: { ...waiting, maximumAttempts: 100 },
});

/**
 * Makes a database that was imported before the next generation of a store. The store in use stays as it is until the new one
 * is whole. Resolves to whether there is a new one. Fails with `UnreadableImport` for a store of papers.
 */
export async function importDatabaseWorkflow(input: CopyDatabaseInput): Promise<boolean> {
  const { store, embedder } = input;
  setCurrentDetails('copying the database');
  if (!(await copyDatabase(input))) return false;
  setCurrentDetails('database copied, building collections');
  await buildCollections({ store, embedder });
  await publishStore({ store });
  setCurrentDetails('database imported');
  return true;
}
