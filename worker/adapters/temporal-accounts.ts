import type { Client } from '@temporalio/client';
import type { AccountReport } from '../../domain/limits/account-report.js';
import type { AccountsPort } from '../../activities/ports/accounts.js';
import { accountReportSignal, accountShareQuery, workflowNames } from '../../workflows/messages.js';
import type { providerAccountWorkflow } from '../../workflows/provider-account.js';

/** A worker that got no answer for so long reports anew. */
const deadlineMs = 10_000;

/** Reports to the workflow of the account, and starts it with the first report. */
export function createTemporalAccounts(client: Client, taskQueue: string): AccountsPort {
  return {
    report: ({ workflowId, name }, report) =>
      client.withDeadline(Date.now() + deadlineMs, async () => {
        const handle = await client.workflow.signalWithStart<
          typeof providerAccountWorkflow,
          [AccountReport]
        >(workflowNames.providerAccount, {
          workflowId,
          taskQueue,
          staticSummary: `limits of ${name}`,
          args: [{}],
          signal: accountReportSignal,
          signalArgs: [report],
        });
        // Without a run id: the workflow may have continued as new.
        const account = client.workflow.getHandle(handle.workflowId);
        const share = await account.query(accountShareQuery, report.worker);
        if (share === null) throw new Error(`${name} has no report of worker ${report.worker}`);
        return share;
      }),
  };
}
