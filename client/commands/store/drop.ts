import type { Command } from 'commander';
import { storeNameSchema, type StoreName } from '../../../domain/ids.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import { closedWorkflowsOfStore, deleteHistories } from '../../runs/removal/histories.js';
import { dropStore, isStoreFolder } from '../../runs/stores/maintain-store.js';
import { openStore } from '../../runs/stores/store-files.js';
import { loadEnvironment } from '../../services/environment.js';
import { printResult } from '../../services/tell.js';
import { isYes } from '../../services/user-error.js';
import { parseArgument } from '../shared/arguments.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import { withSession } from '../shared/execute.js';

interface DropFlags {
  readonly yes?: true;
  readonly json?: true;
}

export function registerDrop(store: Command): void {
  store
    .command('drop')
    .description(
      'remove a store: its tables, its kept texts and PDFs, its collections, and the histories of its ingestions',
    )
    .argument('<store>', 'its name', parseArgument(storeNameSchema))
    .option('--yes', 'without asking; needed where there is no terminal')
    .option('--json', 'one JSON document')
    .action(drop);
}

async function drop(store: StoreName, { yes, json }: DropFlags): Promise<void> {
  const environment = loadEnvironment();
  const what = await contentsOf(environment, store);
  if (yes !== true) {
    if (!process.stdin.isTTY) {
      throw new UserError(`this would remove ${what} for good: add --yes`);
    }
    if (!(await isYes(`Remove ${what} for good?`))) {
      console.error('nothing was removed');
      process.exitCode = exitStatus.badInput;
      return;
    }
  }
  const { collections } = await withSession(environment, async (session) => {
    const dropped = await dropStore(session, environment, store);
    await deleteHistories(session.client, closedWorkflowsOfStore(session.client, store));
    return dropped;
  });
  printResult(json, { store, collections }, `removed ${what}`);
  if (collections === null) {
    console.error(
      `the manifest of store ${store} was lost or damaged: its collections in Milvus, if it had any, are still there`,
    );
  }
}

/** What there is to remove, in words. Throws UserError where there is nothing. */
async function contentsOf(settings: StoreSettings, store: StoreName): Promise<string> {
  try {
    const { papers, database } = await openStore(settings, store);
    if (database !== undefined) return `store ${store} with database ${database.name}`;
    return `store ${store} with ${papers.length} ${papers.length === 1 ? 'paper' : 'papers'}`;
  } catch (error) {
    if (!(error instanceof UserError) || !(await isStoreFolder(settings, store))) throw error;
    return `what is left of store ${store}`;
  }
}
