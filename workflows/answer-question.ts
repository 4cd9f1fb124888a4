import {
  ActivityCancellationType,
  CancellationScope,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { QuestionEnding } from '../activities/questions/end-question.js';
import { isQuick } from '../domain/agent/actions/action.js';
import {
  isAnswer,
  outcomeAtTurnLimit,
  outcomeOfFailure,
  outcomeOfOddReplies,
  type Outcome,
} from '../domain/agent/question-result.js';
import type { ActionTurn, ModelTurn } from '../domain/agent/turn-record.js';
import { preview } from '../domain/formats/text.js';
import {
  questionRefOf,
  type AnswerQuestionInput,
  type CallPolicy,
  type QuestionRef,
  type TurnRef,
} from '../domain/runs/question-ref.js';
import type { EndedQuestion } from '../domain/runs/run-totals.js';
import { describeReply, questionDetails } from '../domain/runs/workflow-details.js';
import { heartbeatTimeout } from '../domain/worker-timeouts.js';
import { attemptsFailed, failedActivity } from './activity-failure.js';
import { judgeQuestion, type JudgeFailures } from './judge-question.js';
import { localActivities, localFirst } from './local-first.js';
import { searchAttribute } from './messages.js';
import { modelCall, throughDeferrals } from './model-call.js';
import { steerQuestion, Stopped, type Steering } from './question-steering.js';

const toolRetry = {
  initialInterval: '500 milliseconds',
  maximumInterval: '15 seconds',
  maximumAttempts: 10,
} as const;

/**
 * Each tool limits its own work, for most to two minutes, and missing heartbeats tell of a lost worker. What may take longer
 * is the wait for one of the worker's query processes behind slow statements of others, and that ends no question.
 */
const toolActivities = proxyActivities<Activities>({
  startToCloseTimeout: '1 day',
  heartbeatTimeout,
  retry: toolRetry,
  // Its result may have been paid for, and is to be stored before the question ends.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

const { endQuestion } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  // For a week: a question that cannot store its end is not lost, and its run waits for it.
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 10_000 },
});

/** Answers one question: model call, action, model call, … until it ends. Then its end is stored and reported. */
export async function answerQuestionWorkflow(input: AnswerQuestionInput): Promise<EndedQuestion> {
  const ref = questionRefOf(input);
  const startedAt = new Date().toISOString();
  const steering = steerQuestion(ref);
  const judgeFailures: JudgeFailures = [];
  let executionFailure: string | null = null;
  let outcome: Outcome = { kind: 'cancelled' };
  // A cancelled question still stores and reports its end.
  const end = (): Promise<EndedQuestion> =>
    CancellationScope.nonCancellable(() =>
      endAndShow({
        ...ref,
        startedAt,
        outcome,
        reports: true,
        ...(judgeFailures.some((failure) => failure !== null) && { judgeFailures }),
        ...(executionFailure !== null && { executionFailure }),
      }),
    );
  try {
    outcome = await converseInTime(input, steering);
    const { judges, executes, ownScorer } = input;
    if ((executes || ownScorer) && isAnswer[outcome.kind]) {
      executionFailure = await failureToExecute(input, steering, ref);
    }
    if (judges !== undefined && isAnswer[outcome.kind]) {
      await judgeQuestion({ ...input, judges }, ref, steering, judgeFailures);
    }
    return await end();
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await end();
    throw error;
  }
}

async function converseInTime(input: AnswerQuestionInput, steering: Steering): Promise<Outcome> {
  const { timeLimitMs } = input;
  if (timeLimitMs === undefined) return converse(input, steering);
  const conversing = new CancellationScope();
  const timing = new CancellationScope();
  const timer = timing.run(async () => {
    await steering.activeFor(timeLimitMs);
    conversing.cancel();
  });
  // The timer is cancelled below, unless it has fired.
  timer.catch(() => undefined);
  try {
    return await conversing.run(() => converse(input, steering));
  } catch (error) {
    if (!isCancellation(error) || CancellationScope.current().consideredCancelled) throw error;
    return { kind: 'deadline' };
  } finally {
    timing.cancel();
  }
}

async function converse(input: AnswerQuestionInput, steering: Steering): Promise<Outcome> {
  const { question, maxTurns } = input;
  const replies: ModelTurn[] = [];
  let observation: string | null = null;
  const act = (ref: TurnRef, reply: ActionReply): Promise<ActionTurn> =>
    throughDeferrals(input, steering, () => takeAction(ref, reply));
  try {
    if (input.needsContext) {
      const summary = 'reads its context';
      await throughDeferrals(input, steering, () =>
        toolActivities.readContext.executeWithOptions({ summary }, [questionRefOf(input)]),
      );
    }
    for (let turn = 1; turn <= maxTurns; turn += 1) {
      const ref = { ...questionRefOf(input), turn };
      const show = (reply: ModelTurn | null): void =>
        setCurrentDetails(questionDetails({ question, turn, maxTurns, reply, observation }));
      const reply = await modelCall(
        input,
        steering,
        ({ askModel }, ...attempts) =>
          askModel.executeWithOptions({ summary: `turn ${turn} · model` }, [ref, ...attempts]),
        () => show(null),
      );
      if (reply.kind === 'budget-stop') return { kind: 'budget-stop' };
      replies.push(reply);
      show(reply);
      if (reply.kind === 'unparseable') {
        const outcome = outcomeOfOddReplies(replies);
        if (outcome !== null) return outcome;
        observation = reply.error;
        continue;
      }
      if (reply.kind === 'step') {
        observation = reply.runs ? (await act(ref, reply)).preview : null;
        continue;
      }
      if (reply.action === 'GenerateAnswer') {
        if (reply.calls !== undefined) await act(ref, reply);
        return { kind: reply.preview === '' ? 'abstained' : 'answered' };
      }
      const seen = await act(ref, reply);
      observation = seen.preview;
    }
    return outcomeAtTurnLimit(replies);
  } catch (error) {
    return outcomeOfError(error);
  }
}

type ActionReply = Exclude<ModelTurn, { readonly kind: 'unparseable' }>;

function takeAction(ref: TurnRef, reply: ActionReply): ReturnType<Activities['takeAction']> {
  const summary = preview(`turn ${ref.turn} · ${describeReply(reply)}`, 100);
  const queued = (): ReturnType<Activities['takeAction']> =>
    toolActivities.takeAction.executeWithOptions({ summary }, [ref]);
  // Several calls may take long together.
  if (reply.kind === 'action' && (reply.calls !== undefined || !isQuick(reply.action)))
    return queued();
  return localFirst(
    () => localActivities.takeAction.executeWithOptions({ summary }, [ref]),
    queued,
  );
}

/** Stores what the SQL of the answer and its gold return, or what the user's own scorer says. Null, or why it cannot: the question ends all the same. */
async function failureToExecute(
  policy: CallPolicy & Pick<AnswerQuestionInput, 'ownScorer'>,
  steering: Steering,
  ref: QuestionRef,
): Promise<string | null> {
  const summary = policy.ownScorer ? 'asks the scorer' : 'executes the SQL of the answer';
  const queued = (): ReturnType<Activities['executeAnswer']> =>
    toolActivities.executeAnswer.executeWithOptions({ summary }, [ref]);
  try {
    await throughDeferrals(policy, steering, () =>
      // A scorer of the user's may take long, and cost something.
      policy.ownScorer
        ? queued()
        : localFirst(
            () => localActivities.executeAnswer.executeWithOptions({ summary }, [ref]),
            queued,
          ),
    );
    return null;
  } catch (error) {
    if (error instanceof Stopped) return `the run stopped it: ${error.outcome.kind}`;
    const failure = failedActivity(error);
    if (failure === null) throw error;
    return failure.message;
  }
}

/** The outcome of a question that an activity's failure ends. Any other error is rethrown. */
function outcomeOfError(error: unknown): Outcome {
  if (error instanceof Stopped) return error.outcome;
  const failure = failedActivity(error);
  if (failure === null) throw error;
  return outcomeOfFailure(failure.type, failure.message, attemptsFailed(error));
}

async function endAndShow(ending: QuestionEnding): Promise<EndedQuestion> {
  const { outcome } = ending;
  const summary = outcome.kind;
  const ended = await localFirst(
    () => localActivities.endQuestion.executeWithOptions({ summary }, [ending]),
    () => endQuestion.executeWithOptions({ summary }, [ending]),
  );
  upsertSearchAttributes([
    searchAttribute('state', 'ended'),
    searchAttribute('outcome', ended.outcome),
    ...(outcome.kind === 'infra-error' ? [searchAttribute('failure', outcome.failure)] : []),
  ]);
  return ended;
}
