import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import {
  CancellationScope,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  proxyActivities,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { ModelTurn } from '../domain/questions/model-turn.js';
import { outcomeAtCap } from '../domain/questions/outcome-at-cap.js';
import { outcomeOfFailure } from '../domain/questions/outcome-of-failure.js';
import type { Outcome } from '../domain/questions/outcome.js';
import { preview } from '../domain/preview.js';
import { describeReply, questionDetails } from '../domain/questions/question-details.js';
import type { QuestionRef } from '../domain/questions/question-ref.js';
import { storingPatienceMs } from '../domain/questions/storing-patience.js';
import type { EndedQuestion } from '../domain/runs/run-totals.js';
import { questionEndedSignal } from './messages.js';
import { searchAttribute } from './search-attribute.js';

const { briefQuestion, takeAction } = proxyActivities<Activities>({
  startToCloseTimeout: '3 minutes',
  heartbeatTimeout: '15 seconds',
  retry: {
    initialInterval: '500 milliseconds',
    maximumInterval: '15 seconds',
    maximumAttempts: 20,
  },
});

const { finishQuestion } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 60 },
});

export interface AnswerQuestionInput extends QuestionRef {
  /** Shortened, for screens; the text itself is in the run's files. */
  readonly question: string;
  readonly maxTurns: number;
  /** Whether its method needs something of the store before the first turn. Absent in inputs of older versions. */
  readonly briefed?: boolean;
  readonly modelTimeoutMs: number;
  /** Tries of one model call before the question ends as `infra-error`. */
  readonly modelAttempts: number;
}

/** One question, once: model call, action, model call, … until it ends; then its end is stored and reported. */
export async function answerQuestionWorkflow(input: AnswerQuestionInput): Promise<EndedQuestion> {
  const { run, uuid, epoch } = input;
  const ref = { run, uuid, epoch };
  const startedAt = new Date().toISOString();
  // Beyond the reach of a cancellation: what the conversation came to is stored and reported.
  const end = (outcome: Outcome): Promise<EndedQuestion> =>
    CancellationScope.nonCancellable(() => endQuestion(ref, startedAt, outcome));
  try {
    return await end(await converse(input));
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await end({ kind: 'cancelled' });
    throw error;
  }
}

async function converse(input: AnswerQuestionInput): Promise<Outcome> {
  const { run, uuid, epoch, question, maxTurns } = input;
  const { askModel } = proxyActivities<Activities>({
    // A call has its own time-out, and a lost worker is noticed by its heartbeats.
    startToCloseTimeout: input.modelTimeoutMs + storingPatienceMs + 30_000,
    heartbeatTimeout: '15 seconds',
    retry: {
      initialInterval: '1 second',
      maximumInterval: '30 seconds',
      maximumAttempts: input.modelAttempts,
    },
  });
  const replies: ModelTurn[] = [];
  let observation: string | null = null;
  try {
    if (input.briefed) {
      await briefQuestion.executeWithOptions({ summary: 'reads its context' }, [
        { run, uuid, epoch },
      ]);
    }
    for (let turn = 1; turn <= maxTurns; turn += 1) {
      const ref = { run, uuid, epoch, turn };
      const show = (reply: ModelTurn | null): void =>
        setCurrentDetails(questionDetails({ question, turn, maxTurns, reply, observation }));
      show(null);
      const reply = await askModel.executeWithOptions({ summary: `turn ${turn} · model` }, [ref]);
      replies.push(reply);
      show(reply);
      if (reply.kind === 'unparseable') {
        observation = reply.error;
        continue;
      }
      if (reply.action === 'GenerateAnswer') {
        return { kind: reply.preview === '' ? 'abstained' : 'answered' };
      }
      const summary = preview(`turn ${turn} · ${describeReply(reply)}`, 100);
      observation = (await takeAction.executeWithOptions({ summary }, [ref])).preview;
    }
    return outcomeAtCap(replies);
  } catch (error) {
    return outcomeOfError(error);
  }
}

/** What outside failure an error stands for; whatever is none of an activity's is rethrown. */
function outcomeOfError(error: unknown): Outcome {
  if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
  const { cause } = error;
  return outcomeOfFailure(
    cause instanceof ApplicationFailure ? cause.type : null,
    cause?.message ?? error.message,
  );
}

async function endQuestion(
  ref: QuestionRef,
  startedAt: string,
  outcome: Outcome,
): Promise<EndedQuestion> {
  const ended = await finishQuestion({ ...ref, startedAt, outcome });
  upsertSearchAttributes([
    searchAttribute('state', 'ended'),
    searchAttribute('outcome', ended.outcome),
    ...(outcome.kind === 'infra-error' ? [searchAttribute('failure', outcome.failure)] : []),
  ]);
  await reportToRun(ref, ended);
  return ended;
}

/** A run that is gone needs no report: it finds the stored end when it is started again. */
async function reportToRun({ uuid, epoch }: QuestionRef, ended: EndedQuestion): Promise<void> {
  const { parent } = workflowInfo();
  if (!parent) return;
  try {
    // By workflow id alone, so that the report reaches the newest run after continue-as-new.
    await getExternalWorkflowHandle(parent.workflowId).signal(questionEndedSignal, {
      uuid,
      epoch,
      ended,
    });
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.info('the run is no longer there to report to', { parent: parent.workflowId });
  }
}
