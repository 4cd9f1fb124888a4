import type { Client } from '@temporalio/client';
import { parseQuestionWorkflowId, type RunId } from '../domain/ids.js';
import type { QuestionHistory } from '../domain/runs/run-status.js';
import { searchAttributes } from '../domain/search-attributes.js';
import { workflowNames } from '../workflows/messages.js';

/** What visibility lists at once; the server takes about ten such requests a second. */
const pageSize = 1000;

/**
 * Histories of a run's questions that have ended, as visibility has them: seconds late.
 * @param most - Infinity for all of them, which takes a good part of a second for each thousand
 */
export async function questionHistories(
  client: Client,
  run: RunId,
  most: number,
): Promise<readonly QuestionHistory[]> {
  const histories: QuestionHistory[] = [];
  if (most === 0) return histories;
  const query = `${searchAttributes.run} = '${run}' AND WorkflowType = '${workflowNames.answerQuestion}' AND ExecutionStatus = 'Completed'`;
  for await (const execution of client.workflow.list({
    query,
    pageSize: Math.min(most, pageSize),
  })) {
    const key = parseQuestionWorkflowId(execution.workflowId);
    if (!key) continue;
    histories.push({
      ...key,
      historyBytes: execution.historySize ?? 0,
      historyEvents: execution.historyLength,
    });
    if (histories.length >= most) break;
  }
  return histories;
}
