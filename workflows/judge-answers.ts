import { ActivityFailure } from '@temporalio/common';
import {
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import {
  add,
  capAsAmount,
  covers,
  isZero,
  subtract,
  noAmount,
  type Amount,
  type Cap,
} from '../domain/budget/amount.js';
import { preview } from '../domain/formats/text.js';
import type { QuestionRef } from '../domain/runs/question-ref.js';
import { judgingDetails } from '../domain/runs/workflow-details.js';
import {
  maxFailures,
  noProgress,
  recordCall,
  recordFailure,
  type JudgingId,
  type JudgingProgress,
  type OpenJudgement,
} from '../domain/scoring/judging/judging-job.js';
import { heartbeatTimeout } from '../domain/worker-timeouts.js';
import { failedActivity } from './activity-failure.js';
import { localFirst } from './local-first.js';
import { judgingQuery } from './messages.js';
import { callWithRetries, modelCall, type CallPolicy } from './model-call.js';
import { Stopped, type Steering } from './question-steering.js';

const { findOpenJudgements } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 20 },
});

/** How long a judge is left alone of which nobody says when it can be asked again: an account without credit above all. */
const lookAgainMs = 10 * 60_000;

export interface JudgeAnswersInput {
  readonly judging: JudgingId;
  /** How many answers there are. */
  readonly cases: number;
  /** Calls at a time. */
  readonly concurrency: number;
  /** What they may cost together. */
  readonly budget: Cap;
  readonly modelTimeoutMs: number;
  readonly modelAttempts: number;
  /** Of earlier histories. */
  readonly progress?: JudgingProgress;
}

/**
 * Has answers judged that no run under way judges. Replies are in files before a call counts as made, so whatever is
 * killed pays for none twice. What a call costs at worst is set aside before it, and nothing is asked beyond the budget.
 */
export async function judgeAnswersWorkflow(input: JudgeAnswersInput): Promise<JudgingProgress> {
  const { judging, concurrency, budget } = input;
  let progress = input.progress ?? noProgress;
  let setAside = noAmount;
  let waits: string | null = null;
  setHandler(judgingQuery, () => ({ ...progress, cases: input.cases, waits }));

  for (let next: number | null = progress.next; next !== null;) {
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof judgeAnswersWorkflow>({ ...input, progress });
    }
    const found: Awaited<ReturnType<typeof findOpenJudgements>> = await findOpenJudgements({
      judging,
      from: next,
    });
    await judgeAll(found.open);
    next = found.next;
    progress = { ...progress, next: next ?? input.cases };
    setCurrentDetails(
      `${progress.next} of ${input.cases} answers, ${progress.calls} calls, ${progress.failures.length} that failed`,
    );
  }
  return progress;

  async function judgeAll(open: readonly OpenJudgement[]): Promise<void> {
    const rest = open.values();
    const lane = async (): Promise<void> => {
      for (const judgement of rest) {
        if (progress.failures.length < maxFailures) await judge(judgement);
      }
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, open.length) }, lane));
  }

  /** Asks one judge about one answer until its verdict is settled. */
  async function judge({ index, judge, need: first }: OpenJudgement): Promise<void> {
    const ref = { judging, index, judge };
    const summary = `answer ${index + 1}, judge ${judge + 1}`;
    for (let need = first; ;) {
      if (!(await isSetAside(need))) {
        progress = recordFailure(
          progress,
          { index, judge, message: 'the budget is spent' },
          noAmount,
        );
        return;
      }
      try {
        const call = await callWithRetries(input, ({ judgeCase }, ...attempts) =>
          judgeCase.executeWithOptions({ summary }, [ref, ...attempts]),
        );
        if (call.kind === 'deferred') {
          setAside = subtract(setAside, need);
          waits = call.message;
          await sleep(call.retryAfterMs ?? lookAgainMs);
          waits = null;
          continue;
        }
        setAside = subtract(setAside, need);
        progress = recordCall(progress, call.spent);
        if (call.need === null) return;
        need = call.need;
      } catch (error) {
        if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
        setAside = subtract(setAside, need);
        const message = preview(error.cause?.message ?? error.message, 300);
        // Nobody knows whether its last try was paid for.
        progress = recordFailure(progress, { index, judge, message }, need);
        return;
      }
    }
  }

  /** Waits as long as calls under way may leave something over. False where the budget is not enough. */
  async function isSetAside(need: Amount): Promise<boolean> {
    const isEnough = () =>
      covers(subtract(capAsAmount(budget), add(progress.spent, setAside)), need);
    for (;;) {
      await condition(() => isEnough() || isZero(setAside));
      if (isEnough()) {
        setAside = add(setAside, need);
        return true;
      }
      // Another may have been quicker.
      if (isZero(setAside)) return false;
    }
  }
}

const localActivities = proxyLocalActivities<Activities>({
  scheduleToCloseTimeout: '5 seconds',
  retry: { maximumAttempts: 1 },
});

const { findOpenJudges } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 20 },
});

export interface Judging extends CallPolicy {
  /** Shortened, for screens. */
  readonly question: string;
  /** How many judges the run has. */
  readonly judges: number;
}

/** Why each judge could not be asked to the end; null for those that could. */
export type JudgeFailures = (string | null)[];

/**
 * Has an answer judged, by one judge after the other, as far as its score depends on them. A judge that cannot be asked
 * does not keep the others from it. What they said is in the run's files.
 * @param failures - gets why a judge failed as that happens, so that it is known even where a cancellation ends this
 */
export async function judgeQuestion(
  judging: Judging,
  ref: QuestionRef,
  steering: Steering,
  failures: JudgeFailures,
): Promise<void> {
  const judges = Array.from({ length: judging.judges }, (_, judge) => judge);
  for (const judge of judges) failures[judge] = 'it was not asked';
  const summary = 'is there anything to judge?';
  const found = await outcomeOf(() =>
    localFirst(
      () => localActivities.findOpenJudges.executeWithOptions({ summary }, [ref]),
      () => findOpenJudges.executeWithOptions({ summary }, [ref]),
    ),
  );
  for (const judge of judges) {
    if ('failure' in found) failures[judge] = found.failure;
    else if (!found.judges.includes(judge)) failures[judge] = null;
    else failures[judge] = await failureOf(judging, ref, steering, judge);
  }
}

/** Null where the judge was asked all that its verdict takes. */
async function failureOf(
  judging: Judging,
  ref: QuestionRef,
  steering: Steering,
  judge: number,
): Promise<string | null> {
  const { question, judges } = judging;
  const show = (): void => setCurrentDetails(judgingDetails({ question, judge, judges }));
  const asked = { ...ref, judge };
  const options = { summary: `judge ${judge + 1} of ${judges}` };
  for (;;) {
    const call = await outcomeOf(() =>
      modelCall(
        judging,
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

/** What `work` came to; a failure that must not keep the question from its end is told in words. */
async function outcomeOf<T extends object>(
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
