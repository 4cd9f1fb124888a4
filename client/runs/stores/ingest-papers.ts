import type { StoreName } from '../../../domain/ids.js';
import { defaultConflictPolicy, type ConflictPolicy } from '../../../domain/stores/add-papers.js';
import type { Parser } from '../../../domain/stores/paper-parsers.js';
import type { IngestPapersResult } from '../../../domain/stores/ingestion.js';
import type { ingestPapersWorkflow } from '../../../workflows/ingest-papers.js';
import { workflowNames } from '../../../workflows/messages.js';
import type { Session } from '../../services/session.js';
import { inTurn } from '../in-turn.js';

/**
 * Ingests PDFs, by absolute path, into a store; one ingestion of a store at a time.
 * Throws UserError where the ingestion as a whole failed; PDFs that cannot be read are in the result.
 * @param onConflict - what happens to a PDF with the title of another paper
 * @param parsers - other parsers that read the PDFs. @defaultValue those whose files lie beside them
 */
export const ingestPapers = (
  { client }: Pick<Session, 'client'>,
  store: StoreName,
  files: readonly string[],
  {
    onConflict = defaultConflictPolicy,
    parsers,
  }: { readonly onConflict?: ConflictPolicy; readonly parsers?: readonly Parser[] } = {},
): Promise<IngestPapersResult> =>
  inTurn(client, store, {
    execute: (workflowId) =>
      client.workflow.execute<typeof ingestPapersWorkflow>(workflowNames.ingestPapers, {
        workflowId,
        taskQueue: client.queue,
        staticSummary: `${files.length} PDFs into store ${store}`,
        args: [{ store, files: [...files], onConflict, ...(parsers && { parsers: [...parsers] }) }],
      }),
    failure: (reason) =>
      `the ingestion into store ${store} failed: ${reason}; the store is as it was`,
    badInput: {
      TitleConflict: (reason) => `nothing was ingested into store ${store}: ${reason}`,
      ParserMissing: (reason) => `nothing was ingested into store ${store}: ${reason}`,
    },
  });
