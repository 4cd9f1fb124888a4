import { setTimeout as sleep } from 'node:timers/promises';
import type { HomeClient } from '../../client/services/home-client.js';
import { runWorkflowId, searchAttributes, type RunId } from '../../domain/ids.js';
import { workflowNames } from '../../workflows/messages.js';

/** Bytes of Temporal history of each question of a finished run. */
export async function questionHistoryBytes(
  client: HomeClient,
  run: RunId,
  questions: number,
): Promise<readonly number[]> {
  const query = `${searchAttributes.run} = '${run}' AND WorkflowType = '${workflowNames.answerQuestion}' AND ExecutionStatus = 'Completed'`;
  for (;;) {
    const bytes = await historyBytes(client, query);
    if (bytes.length >= questions) return bytes;
    // Temporal lists a completed workflow only some seconds later.
    await sleep(500);
  }
}

/** Bytes of each history of the run's workflow: one for each time that it continued as new. */
export const runHistoryBytes = (client: HomeClient, run: RunId): Promise<readonly number[]> =>
  historyBytes(client, `WorkflowId = '${runWorkflowId(client.home, run)}'`);

/** Bytes of each history that a query of Temporal finds. */
export async function historyBytes(client: HomeClient, query: string): Promise<readonly number[]> {
  const bytes: number[] = [];
  const executions = client.workflow.list({ query, pageSize: 1000 });
  for await (const { historySize } of executions) bytes.push(historySize ?? 0);
  return bytes;
}
