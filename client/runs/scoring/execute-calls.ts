import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  type WorkflowHandle,
} from '@temporalio/client';
import { rootCause } from '@temporalio/common';
import type { RunId } from '../../../domain/ids.js';
import type { ModelConfig } from '../../../domain/models/model-settings.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';
import type { CallsProgress } from '../../../domain/scoring/open-calls.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import type { CallsInput } from '../../../workflows/jobs/open-calls.js';
import { callsQuery, searchAttribute, type CallsState } from '../../../workflows/messages.js';
import type { HomeClient } from '../../services/home-client.js';
import { tell } from '../../services/tell.js';
import { restartIfStuck, resultOf } from '../restarted.js';

/** A workflow that makes calls about stored answers, such as `judgeAnswersWorkflow`. */
interface CallsToExecute<Input> {
  /** The name under which the workflow is started. */
  readonly workflow: string;
  readonly workflowId: string;
  readonly taskQueue: string;
  /** Whose answers they are about; null for those of no run. */
  readonly run: RunId | null;
  /** For Temporal's UI. */
  readonly summary: string;
  readonly input: Input;
  /** What the workflow does to cases, for its progress: `judged`. */
  readonly done: string;
  /** What a case is called, in the plural. */
  readonly cases: string;
}

/** How the calls of these models are timed and repeated. */
export const callLimits = (
  models: readonly ModelConfig[],
): Pick<CallsInput, 'modelTimeoutMs' | 'modelAttempts'> => ({
  modelTimeoutMs: Math.max(...models.map(({ timeoutMs }) => timeoutMs)),
  modelAttempts: defaultRunConfig.modelAttempts,
});

/** The same for a job, which can send them in batches. @param folder - for the files of batches, in the storage of the runs */
export function jobLimits(
  models: readonly ModelConfig[],
  folder: string,
): ReturnType<typeof callLimits> & Pick<CallsInput, 'batches'> {
  const pauses = models.flatMap(({ batch }) => batch?.pauseMs ?? []);
  const batches = { folder, pauseMs: Math.max(...pauses) };
  return { ...callLimits(models), ...(pauses.length > 0 && { batches }) };
}

const pollMs = 5_000;

/**
 * Starts the workflow and prints its progress on stderr until it ends. One of the same id that an earlier command has started
 * is awaited first: it may have other limits, and it asks nothing that this one would ask again.
 * @throws UserError where it failed as a whole; calls that failed are in what it returns
 */
export async function executeCalls<Input>(
  client: HomeClient,
  calls: CallsToExecute<Input>,
): Promise<CallsProgress> {
  const { workflow, workflowId, taskQueue, run, summary: staticSummary, input } = calls;
  const handle = client.workflow.getHandle<() => Promise<CallsProgress>>(workflowId);
  for (;;) {
    try {
      await client.workflow.start<(input: Input) => Promise<CallsProgress>>(workflow, {
        workflowId,
        taskQueue,
        staticSummary,
        ...(run !== null && { typedSearchAttributes: [searchAttribute('run', run)] }),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
        args: [input],
      });
      return await untilSettled(handle, calls);
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await restartIfStuck(client, workflowId);
      await untilSettled(handle, calls);
    }
  }
}

async function untilSettled(
  handle: CallsHandle<CallsProgress>,
  calls: Pick<CallsToExecute<unknown>, 'done' | 'cases'>,
): Promise<CallsProgress> {
  try {
    return await followCalls(handle, calls);
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    throw new UserError(
      `the work stopped: ${rootCause(error) ?? error.message}; what was said is kept, and the same command goes on`,
      exitStatus.serviceUnreachable,
    );
  }
}

type CallsHandle<Result> = Pick<
  WorkflowHandle<() => Promise<Result>>,
  'describe' | 'query' | 'result'
>;

/** The result of a workflow that answers `callsQuery`, whose progress is printed on stderr meanwhile. */
export async function followCalls<Result>(
  handle: CallsHandle<Result>,
  calls: Pick<CallsToExecute<unknown>, 'done' | 'cases'>,
): Promise<Result> {
  let printed = '';
  const timer = setInterval(() => {
    handle
      .query(callsQuery)
      .then((state) => {
        const text = stateText(state, calls);
        if (text !== printed) tell(text);
        printed = text;
      })
      // A failed query only skips one line of progress.
      .catch(() => undefined);
  }, pollMs);
  try {
    return await resultOf(handle);
  } finally {
    clearInterval(timer);
  }
}

const stateText = (
  { next, cases, calls, failures, waits }: CallsState,
  { done, cases: noun }: Pick<CallsToExecute<unknown>, 'done' | 'cases'>,
): string =>
  [
    `${done} ${next} of ${cases} ${noun}, ${calls} calls`,
    ...(failures.length > 0 ? [`${failures.length} failed`] : []),
    ...(waits === null ? [] : [`waiting: ${waits}`]),
  ].join(', ');
