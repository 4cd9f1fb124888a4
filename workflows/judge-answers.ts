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
  ceiling,
  covers,
  isNothing,
  minus,
  nothing,
  type Amount,
  type Cap,
} from '../domain/budget/amount.js';
import type { JudgingId } from '../domain/judging/judging-job.js';
import {
  mostFailures,
  noProgress,
  noteCall,
  noteFailure,
  type JudgingProgress,
  type OpenJudgement,
} from '../domain/judging/judging-progress.js';
import { heartbeatTimeout } from '../domain/lost-worker.js';
import { preview } from '../domain/preview.js';
import { judgingQuery } from './messages.js';
import { callWithRetries } from './model-call.js';

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
  let setAside = nothing;
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
        if (progress.failures.length < mostFailures) await judge(judgement);
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
        progress = noteFailure(progress, { index, judge, message: 'the budget is spent' }, nothing);
        return;
      }
      try {
        const call = await callWithRetries(input, ({ judgeCase }, ...attempts) =>
          judgeCase.executeWithOptions({ summary }, [ref, ...attempts]),
        );
        if (call.kind === 'deferred') {
          setAside = minus(setAside, need);
          waits = call.message;
          await sleep(call.retryAfterMs ?? lookAgainMs);
          waits = null;
          continue;
        }
        setAside = minus(setAside, need);
        progress = noteCall(progress, call.spent);
        if (call.need === null) return;
        need = call.need;
      } catch (error) {
        if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
        setAside = minus(setAside, need);
        const message = preview(error.cause?.message ?? error.message, 300);
        // Nobody knows whether its last try was paid for.
        progress = noteFailure(progress, { index, judge, message }, need);
        return;
      }
    }
  }

  /** Waits as long as calls under way may leave something over. False where the budget is not enough. */
  async function isSetAside(need: Amount): Promise<boolean> {
    const isEnough = () => covers(minus(ceiling(budget), add(progress.spent, setAside)), need);
    for (;;) {
      await condition(() => isEnough() || isNothing(setAside));
      if (isEnough()) {
        setAside = add(setAside, need);
        return true;
      }
      // Another may have been quicker.
      if (isNothing(setAside)) return false;
    }
  }
}
