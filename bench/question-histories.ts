import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { searchAttributes, type RunId } from '../domain/ids.js';
import { workflowNames } from '../workflows/messages.js';

/** Bytes of Temporal's history that each of a finished run's questions took. */
export async function historyBytes(
  client: Client,
  run: RunId,
  questions: number,
): Promise<readonly number[]> {
  const query = `${searchAttributes.run} = '${run}' AND WorkflowType = '${workflowNames.answerQuestion}' AND ExecutionStatus = 'Completed'`;
  for (;;) {
    const bytes: number[] = [];
    for await (const { historySize } of client.workflow.list({ query, pageSize: 1000 })) {
      bytes.push(historySize ?? 0);
    }
    if (bytes.length >= questions) return bytes;
    // Visibility is seconds late.
    await sleep(500);
  }
}
