import type { Client } from '@temporalio/client';
import type { AccountReport } from '../../domain/limits/account-report.js';
import type { AccountsPort } from '../../activities/ports/accounts.js';
import { accountReportSignal, accountShareQuery, workflowNames } from '../../workflows/messages.js';
import type { providerAccountWorkflow } from '../../workflows/provider-account.js';

/** A report is news for a few seconds only. */
const deadlineMs = 10_000;

/** Reports to the workflow of an account, which the first report starts. */
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
        // Of whichever of its histories is the newest.
        const account = client.workflow.getHandle(handle.workflowId);
        const share = await account.query(accountShareQuery, report.worker);
        if (share === null) throw new Error(`${name} has not heard of ${report.worker}`);
        return share;
      }),
  };
}
