import { randomUUID } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError, WorkflowFailedError } from '@temporalio/client';
import type { StoreName } from '../../../domain/ids.js';
import { defaultConflictPolicy, type ConflictPolicy } from '../../../domain/stores/add-papers.js';
import type { Parser } from '../../../domain/stores/paper-parsers.js';
import {
  ingestionResult,
  type Ingestion,
  type IngestPapersResult,
} from '../../../domain/stores/ingestion.js';
import type { Environment } from '../../../domain/settings.js';
import { createIngestionFiles } from '../../../storage/stores/ingestion-files.js';
import type { ObjectStorage } from '../../../storage/objects.js';
import { openStorePlace, type StoreSettings } from '../../../storage/stores/store-place.js';
import type { ingestPapersWorkflow } from '../../../workflows/stores/ingest-papers.js';
import { workflowNames } from '../../../workflows/messages.js';
import type { Session } from '../../services/session.js';
import { inTurn } from '../in-turn.js';
import { executeWorkflow } from '../restarted.js';
import { inWords } from './store-files.js';

/**
 * Ingests PDFs, by absolute path, into a store; one ingestion of a store at a time.
 * Throws UserError where the ingestion as a whole failed; PDFs that cannot be read are in the result.
 * @param onConflict - what happens to a PDF with the title of another paper
 * @param parsers - other parsers that read the PDFs. @defaultValue those whose files lie beside them
 */
export const ingestPapers = (
  { client }: Pick<Session, 'client'>,
  environment: Environment,
  store: StoreName,
  files: readonly string[],
  {
    onConflict = defaultConflictPolicy,
    parsers,
  }: { readonly onConflict?: ConflictPolicy; readonly parsers?: readonly Parser[] } = {},
): Promise<IngestPapersResult> =>
  inTurn(client, store, {
    execute: async (options) => {
      const { result } = await withIngestion(environment, store, {
        give: (storage, ingestion) => createIngestionFiles(storage).create(ingestion, files),
        execute: (ingestion, pages) =>
          executeWorkflow<typeof ingestPapersWorkflow>(client, workflowNames.ingestPapers, {
            ...options,
            staticSummary: `${files.length} PDFs into store ${store}`,
            args: [{ ingestion, pages, onConflict, ...(parsers && { parsers: [...parsers] }) }],
          }),
      });
      return result;
    },
    failure: (reason) =>
      `the ingestion into store ${store} failed: ${reason}; the store is as it was`,
    badInput: {
      TitleConflict: (reason) => `nothing was ingested into store ${store}: ${reason}`,
      ParserMissing: (reason) => `nothing was ingested into store ${store}: ${reason}`,
    },
  });

/** A workflow that adds papers to a store. */
interface Addition<Given, Outcome> {
  /** Puts what is to be added into the folder of the ingestion. */
  readonly give: (storage: ObjectStorage, ingestion: Ingestion) => Promise<Given>;
  readonly execute: (ingestion: Ingestion, given: Given) => Promise<Outcome>;
}

/** Executes a workflow that adds papers to a store, with a folder for its files, and reads there what became of each. */
export async function withIngestion<Given, Outcome>(
  settings: StoreSettings,
  store: StoreName,
  { give, execute }: Addition<Given, Outcome>,
): Promise<{ readonly outcome: Outcome; readonly result: IngestPapersResult }> {
  const { storage } = openStorePlace(settings);
  const ingestions = createIngestionFiles(storage);
  const ingestion: Ingestion = { store, id: randomUUID() };
  const given = await inWords(() => give(storage, ingestion));
  try {
    const outcome = await execute(ingestion, given);
    const ignored = await ingestions.ignored(ingestion);
    const result = ingestionResult(await ingestions.progress(ingestion), ignored);
    await ingestions.remove(ingestion);
    return { outcome, result };
  } catch (error) {
    // After any other error it may be under way.
    const isOver =
      error instanceof WorkflowFailedError || error instanceof WorkflowExecutionAlreadyStartedError;
    if (isOver) await ingestions.remove(ingestion);
    throw error;
  }
}
