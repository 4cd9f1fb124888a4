import type { Client } from '@temporalio/client';
import { accountWorkflowPrefix } from '../domain/ids.js';
import { accountSummaryText } from '../domain/limits/account-summary.js';
import type { ModelConfig } from '../domain/models/model-config.js';
import { accountQuery } from '../workflows/messages.js';

/** Status lines do not wait longer for the limits of an account. */
const deadlineMs = 3_000;

/**
 * What the workers know of the provider's limits for a model: one line for each key in use. None where no worker has
 * called the model in the last minutes, or Temporal does not answer.
 */
export async function accountLines(
  client: Client,
  { baseUrl, name }: Pick<ModelConfig, 'baseUrl' | 'name'>,
): Promise<readonly string[]> {
  const query = `WorkflowId STARTS_WITH '${accountWorkflowPrefix(baseUrl, name)}' AND ExecutionStatus = 'Running'`;
  try {
    return await client.withDeadline(Date.now() + deadlineMs, async () => {
      const lines: string[] = [];
      for await (const { workflowId } of client.workflow.list({ query })) {
        const summary = await client.workflow.getHandle(workflowId).query(accountQuery);
        lines.push(`${new URL(baseUrl).host}, model ${name}: ${accountSummaryText(summary)}`);
      }
      return lines;
    });
  } catch {
    return [];
  }
}
