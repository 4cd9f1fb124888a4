import {
  getExternalWorkflowHandle,
  log,
  ParentClosePolicy,
  proxyActivities,
  startChild,
  WorkflowIdReusePolicy,
  type ChildWorkflowHandle,
  type SignalDefinition,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { questionWorkflowId, type RunId, type SampleKey } from '../domain/ids.js';
import type { Sample } from '../domain/runs/dataset.js';
import type { EndedQuestion } from '../domain/runs/run-totals.js';
import { heartbeatTimeout } from '../domain/worker-timeouts.js';
import { answerQuestionWorkflow, type AnswerQuestionInput } from './answer-question.js';
import { searchAttribute } from './search-attribute.js';

/** What all questions of a run have in common. */
export interface QuestionSettings extends Pick<
  AnswerQuestionInput,
  | 'run'
  | 'maxTurns'
  | 'modelTimeoutMs'
  | 'modelAttempts'
  | 'briefed'
  | 'onFailure'
  | 'timeLimitMs'
  | 'judges'
> {
  /** What questions are found by in the UI. */
  readonly model: string;
  readonly method: string;
  readonly store: string;
}

/**
 * Starts a question that outlives its run's histories. An open one is left alone and throws
 * WorkflowExecutionAlreadyStartedError; one that closed without an end goes on from its stored turns.
 */
export function startQuestion(
  settings: QuestionSettings,
  sample: Sample,
): Promise<ChildWorkflowHandle<typeof answerQuestionWorkflow>> {
  const { uuid, epoch, question, tags } = sample;
  return startChild(answerQuestionWorkflow, {
    workflowId: questionWorkflowId(settings.run, sample),
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    parentClosePolicy: ParentClosePolicy.ABANDON,
    staticSummary: question,
    ...(tags.length > 0 && { memo: { tags } }),
    typedSearchAttributes: [
      searchAttribute('run', settings.run),
      searchAttribute('state', 'running'),
      searchAttribute('model', settings.model),
      searchAttribute('method', settings.method),
      searchAttribute('store', settings.store),
    ],
    args: [{ ...inputOf(settings), uuid, epoch, question }],
  });
}

/** Named one by one: what a run carries besides would stand in the history of each of its questions. */
const inputOf = ({
  run,
  maxTurns,
  modelTimeoutMs,
  modelAttempts,
  briefed,
  onFailure,
  timeLimitMs,
  judges,
}: QuestionSettings): Omit<AnswerQuestionInput, 'uuid' | 'epoch' | 'question'> => ({
  run,
  maxTurns,
  modelTimeoutMs,
  modelAttempts,
  ...(briefed && { briefed }),
  ...(onFailure && { onFailure }),
  ...(timeLimitMs !== undefined && { timeLimitMs }),
  ...(judges !== undefined && { judges }),
});

/** Tells an open question something; it may be the child of an earlier history. False where it has closed meanwhile. */
export async function signalQuestion<Args extends unknown[]>(
  run: RunId,
  key: SampleKey,
  signal: SignalDefinition<Args>,
  ...args: Args
): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(questionWorkflowId(run, key)).signal(signal, ...args);
    return true;
  } catch {
    log.info('the question has closed already', { uuid: key.uuid, epoch: key.epoch });
    return false;
  }
}

/** Asks an open question to end as cancelled; it may be the child of an earlier history. */
export async function cancelQuestion(run: RunId, key: SampleKey): Promise<void> {
  try {
    await getExternalWorkflowHandle(questionWorkflowId(run, key)).cancel();
  } catch {
    log.info('the question has closed already', { uuid: key.uuid, epoch: key.epoch });
  }
}

const { findEnded } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 100 },
});
const { endQuestion } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 100 },
});

/** Finds the ends of those questions of `keys` that closed, and ends those that closed without one. */
export async function lookAfter(
  run: RunId,
  keys: readonly SampleKey[],
  ended: (key: SampleKey, end: EndedQuestion) => void,
): Promise<void> {
  if (keys.length === 0) return;
  const { found } = await findEnded({ run, keys });
  for (const { uuid, epoch, state: question } of found) {
    const key = { uuid, epoch };
    const end = question.kind === 'ended' ? question.ended : await endLost(run, key);
    ended(key, end);
  }
}

function endLost(run: RunId, key: SampleKey): Promise<EndedQuestion> {
  return endQuestion({
    run,
    ...key,
    startedAt: new Date().toISOString(),
    outcome: {
      kind: 'infra-error',
      failure: 'Unknown',
      message: 'its workflow was closed before it had ended',
    },
  });
}
