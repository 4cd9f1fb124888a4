import { WorkflowFailedError } from '@temporalio/client';
import { rootCause } from '@temporalio/common';
import type { Cap } from '../../domain/budget/amount.js';
import { defaultRunConfig } from '../../domain/runs/run-config.js';
import {
  judgingWorkflowId,
  type JudgingId,
  type JudgingJob,
  type JudgingProgress,
} from '../../domain/scoring/judging/judging-job.js';
import type { Environment } from '../../domain/settings.js';
import { exitStatus, UserError } from '../../domain/user-error.js';
import type { judgeAnswersWorkflow } from '../../workflows/judge-answers.js';
import { judgingQuery, workflowNames, type JudgingState } from '../../workflows/messages.js';
import type { Session } from '../services/session.js';

export interface JudgingToExecute {
  readonly id: JudgingId;
  readonly job: JudgingJob;
  readonly concurrency: number;
  readonly budget: Cap;
}

const pollMs = 5_000;

/**
 * Starts a judging workflow, or finds the open one, and prints its progress on stderr until it ends.
 * @throws UserError where it failed as a whole; answers that could not be judged are in what it returns
 */
export async function executeJudging(
  { client }: Pick<Session, 'client'>,
  { TURNWISE_TASK_QUEUE }: Pick<Environment, 'TURNWISE_TASK_QUEUE'>,
  { id, job: { judging, cases }, concurrency, budget }: JudgingToExecute,
): Promise<JudgingProgress> {
  const handle = await client.workflow.start<typeof judgeAnswersWorkflow>(
    workflowNames.judgeAnswers,
    {
      workflowId: judgingWorkflowId(id),
      taskQueue: TURNWISE_TASK_QUEUE,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: `${cases.length} answers before ${judging.models.length} judges`,
      args: [
        {
          judging: id,
          cases: cases.length,
          concurrency,
          budget,
          modelTimeoutMs: Math.max(...judging.models.map(({ timeoutMs }) => timeoutMs)),
          modelAttempts: defaultRunConfig.modelAttempts,
        },
      ],
    },
  );
  let printed = '';
  const timer = setInterval(() => {
    handle
      .query(judgingQuery)
      .then((state) => {
        const text = stateText(state);
        if (text !== printed) console.error(text);
        printed = text;
      })
      // A failed query only skips one line of progress.
      .catch(() => undefined);
  }, pollMs);
  try {
    return await handle.result();
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    throw new UserError(
      `the judging stopped: ${rootCause(error) ?? error.message}; what was said is kept, and the same command goes on`,
      exitStatus.serviceUnreachable,
    );
  } finally {
    clearInterval(timer);
  }
}

const stateText = ({ next, cases, calls, failures, waits }: JudgingState): string =>
  [
    `judged ${next} of ${cases} answers, ${calls} calls`,
    ...(failures.length > 0 ? [`${failures.length} failed`] : []),
    ...(waits === null ? [] : [`waiting: ${waits}`]),
  ].join(', ');
