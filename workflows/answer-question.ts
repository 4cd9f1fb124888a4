import {
  CancellationScope,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { QuestionEnding } from '../activities/end-question.js';
import type { Activities } from '../activities/index.js';
import { isQuick } from '../domain/actions/action.js';
import { heartbeatTimeout } from '../domain/lost-worker.js';
import { preview } from '../domain/preview.js';
import { actsHereMs } from '../domain/questions/asked-here.js';
import type { CallSoFar } from '../domain/questions/call-so-far.js';
import type { ModelTurn } from '../domain/questions/model-turn.js';
import { outcomeAtCap } from '../domain/questions/outcome-at-cap.js';
import { outcomeOfFailure } from '../domain/questions/outcome-of-failure.js';
import { isAnswer, type Outcome } from '../domain/questions/outcome.js';
import { describeReply, questionDetails } from '../domain/questions/question-details.js';
import type { QuestionRef } from '../domain/questions/question-ref.js';
import type { EndedQuestion } from '../domain/runs/run-totals.js';
import { failedActivity } from './activity-failure.js';
import { actAndAsk } from './act-and-ask.js';
import { askThroughQueue, askTurn, goOnFrom, mayAskHere, type SaidHere } from './ask-turn.js';
import { hereOrQueued } from './here-or-queued.js';
import { judgeQuestion, type JudgeFailures } from './judge-question.js';
import { questionEndedSignal, reportEndSignal } from './messages.js';
import { paidCall, type CallPolicy } from './paid-call.js';
import { steered, Stopped, type Steering } from './question-steering.js';
import { searchAttribute } from './search-attribute.js';
import { signalRun } from './signal-run.js';

/** How long a quick activity may take in the worker that has the workflow. */
const here = proxyLocalActivities<Activities>({
  scheduleToCloseTimeout: actsHereMs,
  retry: { maximumAttempts: 1 },
});

const toolRetry = {
  initialInterval: '500 milliseconds',
  maximumInterval: '15 seconds',
  maximumAttempts: 20,
} as const;

const { briefQuestion } = proxyActivities<Activities>({
  startToCloseTimeout: '3 minutes',
  heartbeatTimeout,
  retry: toolRetry,
});

const queued = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 60 },
});

export interface AnswerQuestionInput extends QuestionRef, CallPolicy {
  /** Shortened, for screens; the text itself is in the run's files. */
  readonly question: string;
  readonly maxTurns: number;
  /** Whether its method needs something of the store before the first turn. Absent in inputs of older versions. */
  readonly briefed?: boolean;
  /** From its first turn on, pauses apart; then it ends as `deadline`. Absent where there is no limit. */
  readonly timeLimitMs?: number;
  /** Whether actions are tried in the worker that has the workflow. Absent in inputs of older versions. */
  readonly actsHere?: boolean;
  /** Whether its model is asked there too while it replies quickly. Absent in inputs of older versions. */
  readonly asksHere?: boolean;
  /** Whether its first call is tried there as well, and an action and the call after it are one. Absent in older inputs. */
  readonly stepsHere?: boolean;
  /** Whether its run hears of its end by its result, unless it says otherwise. Absent in inputs of older versions. */
  readonly resultIsSeen?: boolean;
  /** How many judges the run has. Absent where it has none. */
  readonly judges?: number;
}

/** One question, once: model call, action, model call, … until it ends; then its end is stored and reported. */
export async function answerQuestionWorkflow(input: AnswerQuestionInput): Promise<EndedQuestion> {
  const { run, uuid, epoch } = input;
  const ref = { run, uuid, epoch };
  const startedAt = new Date().toISOString();
  const steering = steered({ uuid, epoch });
  let resultIsSeen = input.resultIsSeen === true;
  setHandler(reportEndSignal, () => {
    resultIsSeen = false;
  });
  const judgeFailures: JudgeFailures = [];
  let outcome: Outcome = { kind: 'cancelled' };
  // Beyond the reach of a cancellation: what the conversation came to is stored and reported.
  const end = (): Promise<EndedQuestion> =>
    CancellationScope.nonCancellable(async () => {
      const ended = await endAndTell(input, {
        ...ref,
        startedAt,
        outcome,
        ...(judgeFailures.some((failure) => failure !== null) && { judgeFailures }),
      });
      if (!resultIsSeen) await signalRun(questionEndedSignal, { uuid, epoch, ended });
      return ended;
    });
  try {
    outcome = await converseInTime(input, steering);
    const { judges } = input;
    if (judges !== undefined && isAnswer[outcome.kind]) {
      await judgeQuestion({ ...input, judges }, ref, steering, judgeFailures);
    }
    return await end();
  } catch (error) {
    if (!isCancellation(error)) throw error;
    // It closes without a result.
    resultIsSeen = false;
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
  // Cancelled below, in the usual case.
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
  const { run, uuid, epoch, question, maxTurns } = input;
  const { takeAction } = proxyActivities<Activities>({
    // A tool has its own limit, of two minutes at most, but for programs that call models themselves.
    startToCloseTimeout: Math.max(180_000, input.modelTimeoutMs + 30_000),
    heartbeatTimeout,
    retry: toolRetry,
  });
  const replies: ModelTurn[] = [];
  let observation: string | null = null;
  /** What the call of the coming turn came to already. */
  let ahead: SaidHere | null = null;
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
      const ask = (soFar?: CallSoFar): ReturnType<typeof askTurn> => {
        if (soFar) return askThroughQueue(input, ref, soFar);
        const said = ahead;
        ahead = null;
        return said
          ? goOnFrom(input, ref, said)
          : askTurn(input, ref, asksHere(input, replies.at(-1)));
      };
      const reply = await paidCall(input, steering, ask, () => show(null));
      if (reply.kind === 'budget-stop') return { kind: 'budget-stop' };
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
      const isLast = turn === maxTurns;
      if (!isLast && goesOnHere(input, reply) && !steering.isHeld()) {
        const both = `${summary} → turn ${turn + 1} · model`;
        const gone = await actAndAsk(input, steering, ref, both);
        if (gone) {
          observation = gone.seen.preview;
          ahead = gone.said;
          continue;
        }
        await steering.turnBoundary();
      }
      const seen = await hereOrQueued(
        actsHere(input, reply),
        () => here.takeAction.executeWithOptions({ summary }, [ref]),
        () => takeAction.executeWithOptions({ summary }, [ref]),
      );
      observation = seen.preview;
    }
    return outcomeAtCap(replies);
  } catch (error) {
    return outcomeOfError(error);
  }
}

type ActionReply = Extract<ModelTurn, { readonly kind: 'action' }>;

const actsHere = (input: AnswerQuestionInput, { action }: ActionReply): boolean =>
  input.actsHere === true && isQuick(action);

/** Whether the first call is quick is known to the worker, if at all. */
const asksHere = (
  { asksHere: wanted, stepsHere }: AnswerQuestionInput,
  before: ModelTurn | undefined,
): boolean => wanted === true && (before ? before.brisk === true : stepsHere === true);

const goesOnHere = (input: AnswerQuestionInput, reply: ActionReply): boolean =>
  input.stepsHere === true && actsHere(input, reply) && asksHere(input, reply) && mayAskHere(input);

/** What outside failure an error stands for; whatever is none of an activity's is rethrown. */
function outcomeOfError(error: unknown): Outcome {
  if (error instanceof Stopped) return error.outcome;
  const failure = failedActivity(error);
  if (failure === null) throw error;
  return outcomeOfFailure(failure.type, failure.message);
}

async function endAndTell(
  { actsHere }: AnswerQuestionInput,
  ending: QuestionEnding,
): Promise<EndedQuestion> {
  const { outcome } = ending;
  const ended = await hereOrQueued(
    actsHere === true,
    () => here.endQuestion.executeWithOptions({ summary: outcome.kind }, [ending]),
    () => queued.endQuestion.executeWithOptions({ summary: outcome.kind }, [ending]),
  );
  upsertSearchAttributes([
    searchAttribute('state', 'ended'),
    searchAttribute('outcome', ended.outcome),
    ...(outcome.kind === 'infra-error' ? [searchAttribute('failure', outcome.failure)] : []),
  ]);
  return ended;
}
