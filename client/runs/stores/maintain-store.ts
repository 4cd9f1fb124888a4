import { WorkflowNotFoundError } from '@temporalio/client';
import { runWorkflowId, type RunId, type StoreName } from '../../../domain/ids.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import { storageOf, type Environment } from '../../../domain/settings.js';
import type { CheckStoreResult } from '../../../domain/stores/store-check.js';
import { storeFolder } from '../../../domain/stores/store-manifest.js';
import { UserError } from '../../../domain/user-error.js';
import { openStorePlace, type StoreSettings } from '../../../storage/stores/store-place.js';
import type {
  checkStoreWorkflow,
  dropStoreWorkflow,
} from '../../../workflows/stores/check-store.js';
import { workflowNames } from '../../../workflows/messages.js';
import type { Session } from '../../services/session.js';
import { inTurn } from '../in-turn.js';
import { executeWorkflow } from '../restarted.js';
import { listRuns } from '../run-folder.js';
import type { HomeClient } from '../../services/home-client.js';

/** Compares the parts of a store, and mends it where that is wanted. Throws UserError where that failed. */
export const checkStore = (
  { client }: Pick<Session, 'client'>,
  store: StoreName,
  repair: boolean,
): Promise<CheckStoreResult> =>
  inTurn(client, store, {
    execute: (options) =>
      executeWorkflow<typeof checkStoreWorkflow>(client, workflowNames.checkStore, {
        ...options,
        staticSummary: `${repair ? 'repair' : 'check'} of store ${store}`,
        args: [{ store, repair }],
      }),
    failure: (reason) => `the ${repair ? 'repair' : 'check'} of store ${store} failed: ${reason}`,
  });

/** Whether a store, an unfinished ingestion or an unfinished removal has left a folder of that name. */
export const isStoreFolder = async (settings: StoreSettings, store: StoreName): Promise<boolean> =>
  (await openStorePlace(settings).storage.list(storeFolder(store))).length > 0;

/**
 * Removes a store with all it consists of, and says how many collections that were: null where nothing told which. Throws UserError where something uses it,
 * or the removal failed.
 */
export async function dropStore(
  { client }: Pick<Session, 'client'>,
  environment: Environment,
  store: StoreName,
): Promise<{ readonly collections: number | null }> {
  const [run] = await runsOver(client, environment, store);
  if (run !== undefined) {
    throw new UserError(
      `run ${run} uses store ${store}: let it end, or end it with \`turnwise cancel ${run}\``,
    );
  }
  return inTurn(client, store, {
    execute: (options) =>
      executeWorkflow<typeof dropStoreWorkflow>(client, workflowNames.dropStore, {
        ...options,
        staticSummary: `removal of store ${store}`,
        args: [{ store }],
      }),
    failure: (reason) =>
      `the removal of store ${store} failed: ${reason}; the same command goes on with it`,
    mayWait: (workflow, work) => {
      if (workflow === workflowNames.dropStore) return;
      throw new UserError(`${work} is under way: remove the store when it has ended`);
    },
  });
}

/** The open runs that ask questions over a store. */
async function runsOver(
  client: HomeClient,
  environment: Environment,
  store: StoreName,
): Promise<readonly RunId[]> {
  const runs: RunId[] = [];
  for (const manifest of await listRuns(environment.TURNWISE_HOME, storageOf(environment))) {
    if (manifest.status !== 'running' || !isOver(manifest, store)) continue;
    if (await isOpen(client, manifest.run)) runs.push(manifest.run);
  }
  return runs;
}

const isOver = (manifest: RunManifest, name: StoreName): boolean =>
  manifest.store?.name === name ||
  Object.values(manifest.databases).some((ref) => ref.kind === 'store' && ref.name === name);

async function isOpen(client: HomeClient, run: RunId): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(runWorkflowId(client.home, run)).describe();
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
