import { WorkflowExecutionAlreadyStartedError, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, rootCause } from '@temporalio/common';
import type { FailureType } from '../../domain/failure-type.js';
import { ingestionWorkflowId, type StoreName } from '../../domain/ids.js';
import { defaultConflictPolicy, type ConflictPolicy } from '../../domain/stores/add-papers.js';
import type { IngestPapersResult } from '../../domain/stores/ingestion.js';
import type { Environment } from '../../domain/settings.js';
import type { ingestPapersWorkflow } from '../../workflows/ingest-papers.js';
import { workflowNames } from '../../workflows/messages.js';
import type { Session } from '../services/session.js';
import { exitStatus, UserError } from '../../domain/user-error.js';

/**
 * Ingests PDFs, by absolute path, into a store; one ingestion of a store at a time.
 * Throws UserError where the ingestion as a whole failed; PDFs that cannot be read are in the result.
 * @param onConflict - what happens to a PDF with the title of another paper
 */
export async function ingestPapers(
  { client }: Pick<Session, 'client'>,
  environment: Environment,
  store: StoreName,
  files: readonly string[],
  onConflict: ConflictPolicy = defaultConflictPolicy,
): Promise<IngestPapersResult> {
  const workflowId = ingestionWorkflowId(store);
  try {
    return await client.workflow.execute<typeof ingestPapersWorkflow>(workflowNames.ingestPapers, {
      workflowId,
      taskQueue: environment.TURNWISE_TASK_QUEUE,
      staticSummary: `${files.length} PDFs into store ${store}`,
      args: [{ store, files: [...files], onConflict }],
    });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) {
      console.error(`waiting for an ingestion into store ${store} that is under way`);
      await client.workflow.getHandle(workflowId).result();
      return ingestPapers({ client }, environment, store, files, onConflict);
    }
    if (error instanceof WorkflowFailedError) {
      if (failureType(error) === ('TitleConflict' satisfies FailureType)) {
        throw new UserError(`nothing was ingested into store ${store}: ${rootCause(error)}`);
      }
      throw new UserError(
        `the ingestion into store ${store} failed: ${rootCause(error) ?? error.message}; the store is as it was`,
        exitStatus.serviceUnreachable,
      );
    }
    throw error;
  }
}

/** The type of the failure that ended a workflow. */
function failureType(error: WorkflowFailedError): string | null | undefined {
  let cause: unknown = error;
  while (cause instanceof Error && !(cause instanceof ApplicationFailure)) cause = cause.cause;
  return cause instanceof ApplicationFailure ? cause.type : null;
}
