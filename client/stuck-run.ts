import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { runWorkflowId, type RunId } from '../domain/ids.js';

/** WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR in Temporal's API. */
const nonDeterministicError = 24;
/** Far more than are added between two workflow tasks. */
const newestEvents = 200;

/**
 * Whether a run's workflow cannot be replayed, so that no worker can go on with it. A worker that runs another version
 * of the program may have failed at it alone: then the run answers all the same.
 */
export async function isStuckRun(client: Client, run: RunId): Promise<boolean> {
  try {
    const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: client.options.namespace,
      execution: { workflowId: runWorkflowId(run) },
      maximumPageSize: newestEvents,
    });
    const last = history?.events?.find(
      (event) =>
        event.workflowTaskCompletedEventAttributes ?? event.workflowTaskFailedEventAttributes,
    );
    return Number(last?.workflowTaskFailedEventAttributes?.cause) === nonDeterministicError;
  } catch {
    // Never begun, or nobody there to say.
    return false;
  }
}

/** Ends the workflow of a run that is stuck, so that another can begin. Its questions go on meanwhile. */
export async function endStuckRun(client: Client, run: RunId): Promise<void> {
  try {
    const { runId } = await client.workflow.getHandle(runWorkflowId(run)).describe();
    await client.workflow
      .getHandle(runWorkflowId(run), runId)
      .terminate('it could not be replayed; the run begins anew from its files');
  } catch (error) {
    // Another terminal was faster.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
