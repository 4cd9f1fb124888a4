import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { AccountsPort } from '../../activities/ports/accounts.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { QuestionsPort, RunFilesPort } from '../../activities/ports/run-files.js';
import type { StoreUsersPort } from '../../activities/ports/store-contents.js';
import { homeOf, inHome, type HomeId } from '../../domain/home.js';
import type { ModelEndpoint } from '../../domain/model-endpoints.js';
import { questionWorkflowId, runOfWorkflow } from '../../domain/ids.js';
import { fingerprintsOf } from '../../domain/runs/run-manifest.js';
import type { AccountReport } from '../../domain/rate-limits/account-report.js';
import { accountReportSignal, accountShareQuery, workflowNames } from '../../workflows/messages.js';
import type { askEndpointsWorkflow } from '../../workflows/jobs/ask-endpoints.js';
import type { providerAccountWorkflow } from '../../workflows/provider-account.js';

const deadlineMs = 10_000;

/** Reports to the account's workflow, and starts it if there is none. */
export function createTemporalAccounts(
  client: Client,
  { home, taskQueue }: { readonly home: HomeId; readonly taskQueue: string },
): AccountsPort {
  return {
    report: ({ workflowId, name }, report) =>
      client.withDeadline(Date.now() + deadlineMs, async () => {
        const handle = await client.workflow.signalWithStart<
          typeof providerAccountWorkflow,
          [AccountReport]
        >(workflowNames.providerAccount, {
          workflowId: inHome(home, workflowId),
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

/** Longer than a worker takes to ask. */
const endpointsWithinMs = 10_000;

/** Has a worker ask the endpoints that it is configured for. Null where none answers in time. */
export async function endpointsOfWorker(
  client: Client,
  { home, taskQueue }: { readonly home: HomeId; readonly taskQueue: string },
): Promise<readonly ModelEndpoint[] | null> {
  try {
    const { endpoints } = await client.withDeadline(Date.now() + 2 * endpointsWithinMs, () =>
      client.workflow.execute<typeof askEndpointsWorkflow>(workflowNames.askEndpoints, {
        workflowId: inHome(home, `endpoints/${randomUUID()}`),
        taskQueue,
        workflowExecutionTimeout: endpointsWithinMs,
        staticSummary: 'which models can be asked',
      }),
    );
    return endpoints;
  } catch {
    return null;
  }
}

/** The stores of the runs that are open in Temporal. */
export function createRunningRuns(
  client: Client,
  home: HomeId,
  runFiles: Pick<RunFilesPort, 'manifest'>,
): StoreUsersPort {
  return {
    fingerprints: async (store) => {
      const query = `WorkflowType = '${workflowNames.runDataset}' AND ExecutionStatus = 'Running'`;
      const used = new Set<string>();
      try {
        for await (const { workflowId } of client.workflow.list({ query })) {
          const run = homeOf(workflowId) === home ? runOfWorkflow(workflowId) : null;
          if (run === null) continue;
          const manifest = await runFiles.manifest(run);
          for (const fingerprint of fingerprintsOf(manifest, store)) used.add(fingerprint);
        }
      } catch (cause) {
        if (cause instanceof PortFailure) throw cause;
        throw new PortFailure('RunFilesUnavailable', 'Temporal cannot be asked about open runs', {
          cause,
        });
      }
      return used;
    },
  };
}

export function createTemporalQuestions(client: Client, home: HomeId): QuestionsPort {
  return {
    isOpen: async (run, key) => {
      const workflowId = questionWorkflowId(home, run, key);
      try {
        const { status } = await client.workflow.getHandle(workflowId).describe();
        return status.name === 'RUNNING' || status.name === 'PAUSED';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw new PortFailure(
          'RunFilesUnavailable',
          `Temporal cannot be asked about ${workflowId}`,
          {
            cause: error,
          },
        );
      }
    },
  };
}
