import type { Client } from '@temporalio/client';
import { accountWorkflowPrefix } from '../domain/ids.js';
import { accountPictureText } from '../domain/limits/account-picture.js';
import type { ModelConfig } from '../domain/models/model-config.js';
import { accountQuery } from '../workflows/messages.js';

/** A look at an account is not worth waiting for. */
const deadlineMs = 3_000;

/**
 * How the provider's limits stand for a model, as its workers see them: a line for each key that is in use. None where
 * no worker has asked lately, or Temporal does not answer.
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
        const picture = await client.workflow.getHandle(workflowId).query(accountQuery);
        lines.push(`${new URL(baseUrl).host}, model ${name}: ${accountPictureText(picture)}`);
      }
      return lines;
    });
  } catch {
    return [];
  }
}
