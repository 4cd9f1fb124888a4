import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import { inHome } from '../../../domain/home.js';
import {
  ingestionWorkflowId,
  runWorkflowId,
  searchAttributes,
  type RunId,
  type StoreName,
} from '../../../domain/ids.js';
import type { HomeClient } from '../../services/home-client.js';
import { describeOpen } from '../restarted.js';

/** NOT_FOUND in gRPC. */
const notFound = 5;
/** What visibility lists at once. */
const pageSize = 1000;
/** Requests in flight, and the time that so many take at least: 200 a second, beside which runs go on undisturbed. */
const batchSize = 8;
const batchMs = 40;

/** Finds the workflows of a run: its own, its questions, its reviews, and the judges of its answers. */
export const workflowsOfRun = ({ home }: HomeClient, run: RunId): string =>
  `${searchAttributes.run} = '${run}' AND WorkflowId STARTS_WITH '${inHome(home, '')}'`;

/** Finds the workflows of a store that have closed: ingestions, enrichments, checks and removals. */
export function closedWorkflowsOfStore({ home }: HomeClient, store: StoreName): string {
  const id = ingestionWorkflowId(home, store);
  return `(WorkflowId = '${id}' OR WorkflowId STARTS_WITH '${id}/') AND ExecutionStatus != 'Running'`;
}

export async function countHistories(client: HomeClient, query: string): Promise<number> {
  const { count } = await client.workflow.count(query);
  return count;
}

/** A workflow of a run that is open. */
interface OpenWorkflow {
  readonly workflowId: string;
  readonly type: string;
}

/** The workflow of a run if it is open, else any other one of the run's; null if all have closed. */
export async function openWorkflowOf(client: HomeClient, run: RunId): Promise<OpenWorkflow | null> {
  const own = await openWorkflow(client, runWorkflowId(client.home, run));
  if (own) return own;
  const query = `${workflowsOfRun(client, run)} AND ExecutionStatus = 'Running'`;
  for await (const { workflowId } of client.workflow.list({ query, pageSize })) {
    // Visibility is seconds late.
    const open = await openWorkflow(client, workflowId);
    if (open) return open;
  }
  return null;
}

async function openWorkflow(client: HomeClient, workflowId: string): Promise<OpenWorkflow | null> {
  const found = await describeOpen(client, workflowId);
  return found && { workflowId, type: found.type };
}

/**
 * Deletes histories, one page after another, and says how many. Visibility is late: it is asked again until it shows none
 * that was not deleted.
 * @param onDeleted - told after each page how many are deleted
 */
export async function deleteHistories(
  client: HomeClient,
  query: string,
  onDeleted: (count: number) => void = () => undefined,
): Promise<number> {
  const deleted = new Set<string>();
  for (;;) {
    const before = deleted.size;
    let batch: Execution[] = [];
    for await (const { workflowId, runId } of client.workflow.list({ query, pageSize })) {
      if (deleted.has(runId)) continue;
      deleted.add(runId);
      batch.push({ workflowId, runId });
      if (batch.length < batchSize) continue;
      await deleteBatch(client, batch);
      batch = [];
      if (deleted.size % pageSize === 0) onDeleted(deleted.size);
    }
    await deleteBatch(client, batch);
    if (deleted.size === before) return deleted.size;
  }
}

interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

async function deleteBatch(client: HomeClient, batch: readonly Execution[]): Promise<void> {
  if (batch.length === 0) return;
  const { namespace } = client.options;
  const deletions = batch.map(async (workflowExecution) => {
    try {
      await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
    } catch (error) {
      // The server, or another command, was faster.
      if (!(isGrpcServiceError(error) && (error.code as number) === notFound)) throw error;
    }
  });
  await Promise.all([...deletions, sleep(batchMs)]);
}
