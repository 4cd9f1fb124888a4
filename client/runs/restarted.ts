import {
  WorkflowFailedError,
  WorkflowNotFoundError,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { TerminatedFailure, type Workflow, type WorkflowResultType } from '@temporalio/common';
import type { StuckWorkflow } from '../../domain/stuck-workflow.js';
import { findWorkflow, restartStuck } from '../../temporal/stuck-workflows.js';
import type { HomeClient } from '../services/home-client.js';
import { note } from '../services/tell.js';

/**
 * Starts a workflow again that no worker can go on with, so that it takes what comes next. Resolves to what was wrong; null
 * where nothing was.
 */
export async function restartIfStuck(
  client: HomeClient,
  workflowId: string,
): Promise<StuckWorkflow | null> {
  const found = await findWorkflow(client, workflowId);
  if (found.kind !== 'stuck') return null;
  const { stuck } = found;
  note(`${workflowId} could not go on (${stuck.cause}): it begins anew from its files`);
  await restartStuck(client, stuck);
  return stuck;
}

/** What the server says of a workflow that is open; null where it is not. */
export async function describeOpen(
  client: HomeClient,
  workflowId: string,
): Promise<WorkflowExecutionDescription | null> {
  try {
    const description = await client.workflow.getHandle(workflowId).describe();
    return description.status.name === 'RUNNING' ? description : null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/**
 * Asks an open workflow something; one that no worker can go on with is started again before. Asked again where it was started
 * again meanwhile: it may have become stuck with what was asked.
 */
export async function askOpen<T>(
  client: HomeClient,
  workflowId: string,
  ask: () => Promise<T>,
): Promise<T> {
  await restartIfStuck(client, workflowId);
  const before = await restartCount(client, workflowId);
  try {
    return await ask();
  } catch (error) {
    if ((await restartCount(client, workflowId)) === before) throw error;
    return ask();
  }
}

async function restartCount(client: HomeClient, workflowId: string): Promise<number> {
  const found = await findWorkflow(client, workflowId);
  return found.kind === 'open' ? (found.restarts?.count ?? 0) : 0;
}

/** Executes a workflow, also where it is started again from its files meanwhile. */
export async function executeWorkflow<T extends Workflow>(
  client: HomeClient,
  name: string,
  options: WorkflowStartOptions<T>,
): Promise<WorkflowResultType<T>> {
  await client.workflow.start<T>(name, options);
  return resultOf(client.workflow.getHandle<T>(options.workflowId));
}

/** The result of a workflow, or of the one that was started in its place. @param handle - without a run id */
export async function resultOf<Result>(handle: {
  readonly describe: WorkflowHandle['describe'];
  readonly result: () => Promise<Result>;
}): Promise<Result> {
  for (;;) {
    try {
      return await handle.result();
    } catch (error) {
      const isEnded =
        error instanceof WorkflowFailedError && error.cause instanceof TerminatedFailure;
      if (!isEnded || (await handle.describe()).status.name !== 'RUNNING') throw error;
    }
  }
}
