import { WithStartWorkflowOperation, type Client } from '@temporalio/client';
import type { AccountsPort } from '../../activities/ports/accounts.js';
import { reportAccountUpdate, workflowNames } from '../../workflows/messages.js';
import type { providerAccountWorkflow } from '../../workflows/provider-account.js';

/** A report is news for a few seconds only. */
const deadlineMs = 10_000;

/** Reports to the workflow of an account, which the first report starts. */
export function createTemporalAccounts(client: Client, taskQueue: string): AccountsPort {
  return {
    report: ({ workflowId, name }, report) =>
      client.withDeadline(Date.now() + deadlineMs, () =>
        client.workflow.executeUpdateWithStart(reportAccountUpdate, {
          args: [report],
          startWorkflowOperation: new WithStartWorkflowOperation<typeof providerAccountWorkflow>(
            workflowNames.providerAccount,
            {
              workflowId,
              workflowIdConflictPolicy: 'USE_EXISTING',
              taskQueue,
              staticSummary: `limits of ${name}`,
              args: [{}],
            },
          ),
        }),
      ),
  };
}
