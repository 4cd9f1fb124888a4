import { randomUUID } from 'node:crypto';
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
} from '@temporalio/client';
import type { AccountsPort } from '../../activities/ports/accounts.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { QuestionsPort, RunFilesPort } from '../../activities/ports/run-files.js';
import type { StoreUsersPort } from '../../activities/ports/store-contents.js';
import { inHome, type HomeId } from '../../domain/home.js';
import type { ModelEndpoint } from '../../domain/model-api.js';
import {
  questionWorkflowId,
  runOfWorkflow,
  runWorkflowId,
  searchAttributes,
} from '../../domain/ids.js';
import { questionInput } from '../../domain/runs/question-ref.js';
import { fingerprintsOf } from '../../domain/runs/run-manifest.js';
import { mostRestarts } from '../../domain/stuck-workflow.js';
import { findWorkflow, restartClosed } from '../../temporal/stuck-workflows.js';
import type { AccountReport } from '../../domain/rate-limits/account-report.js';
import {
  accountReportSignal,
  accountShareQuery,
  questionEndedSignal,
  searchAttribute,
  workflowNames,
} from '../../workflows/messages.js';
import type { answerQuestionWorkflow } from '../../workflows/answer-question.js';
import type { askEndpointsWorkflow } from '../../workflows/jobs/probe-models.js';
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
      const query = `WorkflowType = '${workflowNames.runDataset}' AND WorkflowId STARTS_WITH '${inHome(home, '')}' AND ExecutionStatus = 'Running'`;
      const used = new Set<string>();
      try {
        for await (const { workflowId } of client.workflow.list({ query })) {
          const run = runOfWorkflow(workflowId);
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
  const asked = async <T>(workflowId: string, ask: () => Promise<T>): Promise<T> => {
    try {
      return await client.withDeadline(Date.now() + deadlineMs, ask);
    } catch (cause) {
      if (cause instanceof PortFailure) throw cause;
      const message = `Temporal cannot be asked about ${workflowId}`;
      throw new PortFailure('RunFilesUnavailable', message, { cause });
    }
  };
  return {
    listOpen: (run) =>
      asked(`the questions of run ${run}`, async () => {
        const query = `${searchAttributes.run} = '${run}' AND WorkflowType = '${workflowNames.answerQuestion}' AND ExecutionStatus = 'Running'`;
        const open = new Set<string>();
        const pageSize = 1_000;
        for await (const { workflowId } of client.workflow.list({ query, pageSize })) {
          open.add(workflowId);
        }
        return { has: (key) => open.has(questionWorkflowId(home, run, key)) };
      }),
    isOpen: (run, key) => {
      const workflowId = questionWorkflowId(home, run, key);
      return asked(workflowId, async () => {
        const { kind } = await findWorkflow(client, workflowId);
        return kind === 'open' || kind === 'stuck';
      });
    },
    restart: (run, key) => {
      const workflowId = questionWorkflowId(home, run, key);
      return asked(workflowId, async () => {
        const found = await findWorkflow(client, workflowId);
        if (found.kind === 'absent') return 'its workflow was deleted before it had ended';
        if (found.kind !== 'closed') return null;
        const { restarts } = found;
        if (restarts !== null && restarts.count >= mostRestarts) {
          return `its workflow was started again ${restarts.count} times, and could not go on: ${restarts.cause}`;
        }
        await restartClosed(client, workflowId, restarts);
        return null;
      });
    },
    start: ({ settings, sample, taskQueue }) => {
      const { run, model, method, store } = settings;
      const { question, tags, asking = 1 } = sample;
      const workflowId = questionWorkflowId(home, run, sample);
      const again = asking > 1;
      return asked(workflowId, async () => {
        try {
          await client.workflow.start<typeof answerQuestionWorkflow>(workflowNames.answerQuestion, {
            ...{ workflowId, taskQueue, workflowIdReusePolicy: 'ALLOW_DUPLICATE' },
            staticSummary: question,
            memo: { ...(tags.length > 0 && { tags }), ...(again && { asking }) },
            typedSearchAttributes: [
              searchAttribute('run', run),
              searchAttribute('state', 'running'),
              searchAttribute('model', model),
              searchAttribute('method', method),
              ...(store === undefined ? [] : [searchAttribute('store', store)]),
            ],
            args: [questionInput(settings, sample)],
          });
          return true;
        } catch (error) {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
          // A question reports its end before its workflow closes.
          const isEarlier =
            again &&
            (await client.workflow.getHandle(workflowId).describe()).memo?.['asking'] !== asking;
          if (!isEarlier) return false;
          throw new PortFailure('RunFilesUnavailable', `${workflowId} has ended, and closes`);
        }
      });
    },
    reportEnd: ({ run, uuid, epoch, asking = 1 }, ended) => {
      const workflowId = runWorkflowId(home, run);
      return asked(workflowId, async () => {
        try {
          await client.workflow
            .getHandle(workflowId)
            .signal(questionEndedSignal, { uuid, epoch, asking, ended });
        } catch (error) {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        }
      });
    },
  };
}
