import {
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
  type ChildWorkflowHandle,
} from '@temporalio/workflow';
import { questionWorkflowId } from '../domain/ids.js';
import type { Sample } from '../domain/runs/dataset.js';
import { answerQuestionWorkflow, type AnswerQuestionInput } from './answer-question.js';
import { homeHere, searchAttribute } from './naming.js';

/** What all questions of a run have in common. */
export interface QuestionSettings extends Pick<
  AnswerQuestionInput,
  | 'run'
  | 'maxTurns'
  | 'modelTimeoutMs'
  | 'modelAttempts'
  | 'needsContext'
  | 'onFailure'
  | 'timeLimitMs'
  | 'judges'
> {
  /** Search attributes of each question. */
  readonly model: string;
  readonly method: string;
  /** Absent for a run whose questions name their databases. */
  readonly store?: string;
}

/**
 * Starts a question that outlives its run's histories. An open one is left alone and throws
 * WorkflowExecutionAlreadyStartedError; one that closed without an end goes on from its stored turns.
 */
export function startQuestion(
  settings: QuestionSettings,
  sample: Sample,
): Promise<ChildWorkflowHandle<typeof answerQuestionWorkflow>> {
  const { uuid, epoch, question, tags, executes, ownScorer, asking } = sample;
  return startChild(answerQuestionWorkflow, {
    workflowId: questionWorkflowId(homeHere(), settings.run, sample),
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    parentClosePolicy: ParentClosePolicy.ABANDON,
    staticSummary: question,
    ...(tags.length > 0 && { memo: { tags } }),
    typedSearchAttributes: [
      searchAttribute('run', settings.run),
      searchAttribute('state', 'running'),
      searchAttribute('model', settings.model),
      searchAttribute('method', settings.method),
      ...(settings.store === undefined ? [] : [searchAttribute('store', settings.store)]),
    ],
    args: [
      {
        ...inputOf(settings),
        uuid,
        epoch,
        question,
        ...(executes && { executes }),
        ...(ownScorer && { ownScorer }),
        ...(asking !== undefined && { asking }),
      },
    ],
  });
}

/** Lists the fields, so that the state a run carries does not enter the history of each of its questions. */
const inputOf = ({
  run,
  maxTurns,
  modelTimeoutMs,
  modelAttempts,
  needsContext,
  onFailure,
  timeLimitMs,
  judges,
}: QuestionSettings): Omit<
  AnswerQuestionInput,
  'uuid' | 'epoch' | 'question' | 'executes' | 'ownScorer' | 'asking'
> => ({
  run,
  maxTurns,
  modelTimeoutMs,
  modelAttempts,
  ...(needsContext && { needsContext }),
  ...(onFailure && { onFailure }),
  ...(timeLimitMs !== undefined && { timeLimitMs }),
  ...(judges !== undefined && { judges }),
});
