import {
  ActivityCancellationType,
  CancellationScope,
  isCancellation,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
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
import { runWorkflowId, workflowPath } from '../domain/ids.js';
import {
  questionRefOf,
  type AnswerQuestionInput,
  type QuestionRef,
  type TurnRef,
} from '../domain/runs/question-ref.js';
import type { EndedQuestion } from '../domain/runs/run-totals.js';
import { describeReply, judgingDetails, questionDetails } from '../domain/runs/workflow-details.js';
import { attemptsFailed, failedActivity } from './activity-failure.js';
import { searchAttribute } from './messages.js';
import { modelCall, throughDeferrals } from './model-call.js';
import { steerQuestion, Stopped, type Steering } from './question-steering.js';
import { forAWeek, forMinutes, localFirst, queued } from './scheduling.js';
import { homeHere } from './signals.js';

/**
 * Each tool limits its own work, for most to two minutes, and missing heartbeats tell of a lost worker. What may take longer
 * is the wait for one of the worker's query processes behind slow statements of others, and that ends no question.
 */
const toolQueue = queued(
  '1 day',
  { initialInterval: '500 milliseconds', maximumInterval: '15 seconds', maximumAttempts: 10 },
  // Its result may have been paid for, and is to be stored before the question ends.
  { cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED },
);

const judgesQueue = queued('1 minute', forMinutes);

// A question that cannot store its end is not lost, and its run waits for it.
const endQueue = queued('1 minute', forAWeek);

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
      await askJudges({ ...input, judges }, ref, steering, judgeFailures);
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
  const runPath = runPathOf(input);
  const replies: ModelTurn[] = [];
  let observation: string | null = null;
  const act = (ref: TurnRef, reply: ActionReply): Promise<ActionTurn> =>
    throughDeferrals(input, steering, () => takeAction(ref, reply));
  try {
    if (input.needsContext) {
      const summary = 'reads its context';
      await throughDeferrals(input, steering, () =>
        toolQueue.readContext.executeWithOptions({ summary }, [questionRefOf(input)]),
      );
    }
    for (let turn = 1; turn <= maxTurns; turn += 1) {
      const ref = { ...questionRefOf(input), turn };
      const show = (reply: ModelTurn | null): void =>
        setCurrentDetails(
          questionDetails({ question, runPath, turn, maxTurns, reply, observation }),
        );
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

/** Where the Temporal UI shows its run. */
const runPathOf = ({ run }: QuestionRef): string =>
  workflowPath(workflowInfo().namespace, runWorkflowId(homeHere(), run));

type ActionReply = Exclude<ModelTurn, { readonly kind: 'unparseable' }>;

function takeAction(ref: TurnRef, reply: ActionReply): ReturnType<Activities['takeAction']> {
  const summary = preview(`turn ${ref.turn} · ${describeReply(reply)}`, 100);
  // Several calls may take long together.
  const isLong = reply.kind === 'action' && (reply.calls !== undefined || !isQuick(reply.action));
  if (isLong) return toolQueue.takeAction.executeWithOptions({ summary }, [ref]);
  return localFirst(toolQueue, (activities) =>
    activities.takeAction.executeWithOptions({ summary }, [ref]),
  );
}

/** Stores what the SQL of the answer and its gold return, or what the user's own scorer says. Null, or why it cannot: the question ends all the same. */
async function failureToExecute(
  input: AnswerQuestionInput,
  steering: Steering,
  ref: QuestionRef,
): Promise<string | null> {
  const { ownScorer } = input;
  const summary = ownScorer ? 'asks the scorer' : 'executes the SQL of the answer';
  const failed = await orFailure(() =>
    throughDeferrals(input, steering, () =>
      // A scorer of the user's may take long, and cost something.
      ownScorer
        ? toolQueue.executeAnswer.executeWithOptions({ summary }, [ref])
        : localFirst(toolQueue, (activities) =>
            activities.executeAnswer.executeWithOptions({ summary }, [ref]),
          ),
    ),
  );
  return failed && failed.failure;
}

/** For each judge why its calls failed; null for a judge whose verdict is settled. */
type JudgeFailures = (string | null)[];

type Judged = AnswerQuestionInput & Required<Pick<AnswerQuestionInput, 'judges'>>;

/**
 * Asks the judges of a run about one answer, one after the other, as far as the score depends on them. A failing judge
 * does not stop the others. Their replies are in the run's files.
 * @param failures - filled while judges are asked, so that a cancellation loses none
 */
async function askJudges(
  input: Judged,
  ref: QuestionRef,
  steering: Steering,
  failures: JudgeFailures,
): Promise<void> {
  const judges = Array.from({ length: input.judges }, (_, judge) => judge);
  for (const judge of judges) failures[judge] = 'it was not asked';
  const summary = 'is there anything to judge?';
  const found = await orFailure(() =>
    throughDeferrals(input, steering, () =>
      localFirst(judgesQueue, (activities) =>
        activities.findOpenJudges.executeWithOptions({ summary }, [ref]),
      ),
    ),
  );
  for (const judge of judges) {
    if ('failure' in found) failures[judge] = found.failure;
    else if (!found.judges.includes(judge)) failures[judge] = null;
    else failures[judge] = await failureToJudge(input, ref, steering, judge);
  }
}

/** Null where the judge's verdict is settled. */
async function failureToJudge(
  input: Judged,
  ref: QuestionRef,
  steering: Steering,
  judge: number,
): Promise<string | null> {
  const { question, judges } = input;
  const show = (): void =>
    setCurrentDetails(judgingDetails({ question, runPath: runPathOf(input), judge, judges }));
  const asked = { ...ref, judge };
  const options = { summary: `judge ${judge + 1} of ${judges}` };
  for (;;) {
    const call = await orFailure(() =>
      modelCall(
        input,
        steering,
        ({ judgeAnswer }, ...attempts) =>
          judgeAnswer.executeWithOptions(options, [asked, ...attempts]),
        show,
      ),
    );
    if ('failure' in call) return call.failure;
    if (call.settled) return null;
  }
}

/** The result of `work`, or its failure in words: what fails to be scored must not keep its question from ending. */
async function orFailure<T extends object | null>(
  work: () => Promise<T>,
): Promise<T | { readonly failure: string }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Stopped) return { failure: `the run stopped it: ${error.outcome.kind}` };
    const failed = failedActivity(error);
    if (failed === null) throw error;
    return { failure: failed.message };
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
  const ended = await localFirst(endQueue, (activities) =>
    activities.endQuestion.executeWithOptions({ summary }, [ending]),
  );
  upsertSearchAttributes([
    searchAttribute('state', 'ended'),
    searchAttribute('outcome', ended.outcome),
    ...(outcome.kind === 'infra-error' ? [searchAttribute('failure', outcome.failure)] : []),
  ]);
  return ended;
}
