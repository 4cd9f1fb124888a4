import {
  getExternalWorkflowHandle,
  log,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
  type ChildWorkflowHandle,
} from '@temporalio/workflow';
import { questionWorkflowId, type RunId, type SampleKey } from '../domain/ids.js';
import type { Sample } from '../domain/questions/samples.js';
import { answerQuestionWorkflow, type AnswerQuestionInput } from './answer-question.js';
import { searchAttribute } from './search-attribute.js';

/** What all questions of a run have in common. */
export interface QuestionSettings extends Pick<
  AnswerQuestionInput,
  'run' | 'maxTurns' | 'modelTimeoutMs' | 'modelAttempts' | 'briefed'
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
  const { run, maxTurns, modelTimeoutMs, modelAttempts, briefed = false } = settings;
  const { uuid, epoch, question } = sample;
  return startChild(answerQuestionWorkflow, {
    workflowId: questionWorkflowId(run, sample),
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    parentClosePolicy: ParentClosePolicy.ABANDON,
    staticSummary: question,
    memo: { tags: sample.tags },
    typedSearchAttributes: [
      searchAttribute('run', run),
      searchAttribute('state', 'running'),
      searchAttribute('model', settings.model),
      searchAttribute('method', settings.method),
      searchAttribute('store', settings.store),
    ],
    args: [{ run, uuid, epoch, question, maxTurns, modelTimeoutMs, modelAttempts, briefed }],
  });
}

/** Asks an open question to end as cancelled; it may be the child of an earlier history. */
export async function cancelQuestion(run: RunId, key: SampleKey): Promise<void> {
  try {
    await getExternalWorkflowHandle(questionWorkflowId(run, key)).cancel();
  } catch {
    log.info('the question has closed already', { uuid: key.uuid, epoch: key.epoch });
  }
}
