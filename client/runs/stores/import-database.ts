import type { StoreName } from '../../../domain/ids.js';
import type { DatabaseId } from '../../../domain/stores/database.js';
import { storageOf } from '../../../domain/settings.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import { UserError } from '../../../domain/user-error.js';
import type { importDatabaseWorkflow } from '../../../workflows/stores/import-database.js';
import { workflowNames } from '../../../workflows/messages.js';
import type { Session } from '../../services/session.js';
import { importDatabases } from '../database-qa/import-databases.js';
import { inTurn } from '../in-turn.js';
import { executeWorkflow } from '../restarted.js';

/**
 * Copies a database into the storage, where a store can take it from. Null if it holds papers. Throws UserError where it
 * cannot be read.
 */
export async function copyDatabase(
  settings: StoreSettings,
  path: string,
): Promise<DatabaseId | null> {
  const imported = await importDatabases({
    home: settings.TURNWISE_HOME,
    storage: storageOf(settings),
    isForWorkers: true,
    folder: '',
    sources: [{ path }],
    unlessPapers: true,
  });
  for (const result of imported.values()) {
    if (result.kind === 'imported' && result.ref.kind === 'imported') return result.ref.id;
    if (result.kind === 'refused' && result.holdsPapers) return null;
    if (result.kind === 'refused') throw new UserError(result.message);
  }
  throw new Error(`the import said nothing of ${path}`);
}

/** Makes a copied database the content of a store. Resolves to whether that has changed the store. Throws UserError where it failed. */
export const importDatabase = (
  { client }: Pick<Session, 'client'>,
  store: StoreName,
  database: DatabaseId,
): Promise<boolean> =>
  inTurn(client, store, {
    execute: (options) =>
      executeWorkflow<typeof importDatabaseWorkflow>(client, workflowNames.importDatabase, {
        ...options,
        staticSummary: `database into store ${store}`,
        args: [{ store, database }],
      }),
    failure: (reason) => `the import into store ${store} failed: ${reason}; the store is as it was`,
    badInput: {
      UnreadableImport: (reason) => `nothing was imported into store ${store}: ${reason}`,
    },
  });
