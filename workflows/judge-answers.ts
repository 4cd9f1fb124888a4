import { ActivityFailure } from '@temporalio/common';
import {
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
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
import { judgingQuery } from './messages.js';
import { callWithRetries } from './model-call.js';

const { findOpenJudgements } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 20 },
});

/** The wait before a deferred call whose provider names no time, such as that of an account without credit. */
const retryDeferredMs = 10 * 60_000;

export interface JudgeAnswersInput {
  readonly judging: JudgingId;
  /** Number of answers. */
  readonly cases: number;
  /** Calls in flight. */
  readonly concurrency: number;
  /** For all calls together. */
  readonly budget: Cap;
  readonly modelTimeoutMs: number;
  readonly modelAttempts: number;
  /** Carried from an earlier history. */
  readonly progress?: JudgingProgress;
}

/**
 * Has judges score stored answers, outside of a run. A reply is stored before its call counts as made, so that a killed
 * process pays for no call twice. The most that a call may cost is reserved before it, and no call exceeds the budget.
 */
export async function judgeAnswersWorkflow(input: JudgeAnswersInput): Promise<JudgingProgress> {
  const { judging, concurrency, budget } = input;
  let progress = input.progress ?? noProgress;
  let reserved = noAmount;
  let waiting: string | null = null;
  setHandler(judgingQuery, () => ({ ...progress, cases: input.cases, waits: waiting }));

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
      if (!(await isReserved(need))) {
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
          reserved = subtract(reserved, need);
          waiting = call.message;
          await sleep(call.retryAfterMs ?? retryDeferredMs);
          waiting = null;
          continue;
        }
        reserved = subtract(reserved, need);
        progress = recordCall(progress, call.spent);
        if (call.need === null) return;
        need = call.need;
      } catch (error) {
        if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
        reserved = subtract(reserved, need);
        const message = preview(error.cause?.message ?? error.message, 300);
        // The last attempt may have been paid for.
        progress = recordFailure(progress, { index, judge, message }, need);
        return;
      }
    }
  }

  /** Reserves `need`, and waits while calls in flight may free some of the budget. False where the budget is too small. */
  async function isReserved(need: Amount): Promise<boolean> {
    const isEnough = () =>
      covers(subtract(capAsAmount(budget), add(progress.spent, reserved)), need);
    for (;;) {
      await condition(() => isEnough() || isZero(reserved));
      if (isEnough()) {
        reserved = add(reserved, need);
        return true;
      }
      // Another call may have reserved first.
      if (isZero(reserved)) return false;
    }
  }
}
