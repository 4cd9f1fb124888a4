import type { StoreName } from '../../../domain/ids.js';
import type { Environment } from '../../../domain/settings.js';
import type { ConflictPolicy } from '../../../domain/stores/add-papers.js';
import type {
  ImportPapersResult,
  ImportSource,
} from '../../../domain/stores/imports/import-papers.js';
import { createIngestionFiles } from '../../../storage/stores/ingestion-files.js';
import { uploadImport } from '../../../storage/stores/import-uploads.js';
import type { importPapersWorkflow } from '../../../workflows/stores/import-papers.js';
import { workflowNames } from '../../../workflows/messages.js';
import type { Session } from '../../services/session.js';
import { inTurn } from '../in-turn.js';
import { executeWorkflow } from '../restarted.js';
import { withIngestion } from './ingest-papers.js';

/**
 * Imports papers that another system has read into a store; one ingestion or import at a time.
 * Throws UserError where the import as a whole failed; papers that cannot be used are in the result.
 */
export const importPapers = (
  { client }: Pick<Session, 'client'>,
  environment: Environment,
  store: StoreName,
  source: ImportSource,
  onConflict: ConflictPolicy,
): Promise<ImportPapersResult> => {
  const refused = (reason: string): string =>
    `nothing was imported into store ${store}: ${reason.replace(/\.$/, '')}`;
  return inTurn(client, store, {
    execute: async (options) => {
      const { outcome, result } = await withIngestion(environment, store, {
        give: async (storage, ingestion) => {
          await createIngestionFiles(storage).create(ingestion, []);
          await uploadImport(storage, ingestion, source);
        },
        execute: (ingestion) =>
          executeWorkflow<typeof importPapersWorkflow>(client, workflowNames.importPapers, {
            ...options,
            staticSummary: `import into store ${store}`,
            args: [{ ingestion, onConflict }],
          }),
      });
      return { ...result, ...outcome };
    },
    failure: (reason) => `the import into store ${store} failed: ${reason}; the store is as it was`,
    badInput: { UnreadableImport: refused, TitleConflict: refused },
  });
};
