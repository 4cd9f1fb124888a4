import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { CallPolicy, QuestionRef } from '../domain/runs/question-ref.js';
import { judgingDetails } from '../domain/runs/workflow-details.js';
import { heartbeatTimeout } from '../domain/worker-timeouts.js';
import { failedActivity } from './activity-failure.js';
import { localActivities, localFirst } from './local-first.js';
import { modelCall, throughDeferrals } from './model-call.js';
import { Stopped, type Steering } from './question-steering.js';

const { findOpenJudges } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 20 },
});

export interface Judging extends CallPolicy {
  /** Shortened, for screens. */
  readonly question: string;
  /** Number of judges of the run. */
  readonly judges: number;
}

/** For each judge why its calls failed; null for a judge whose verdict is settled. */
export type JudgeFailures = (string | null)[];

/**
 * Asks the judges of a run about one answer, one after the other, as far as the score depends on them. A failing judge
 * does not stop the others. Their replies are in the run's files.
 * @param failures - filled while judges are asked, so that a cancellation loses none
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
    throughDeferrals(judging, steering, () =>
      localFirst(
        () => localActivities.findOpenJudges.executeWithOptions({ summary }, [ref]),
        () => findOpenJudges.executeWithOptions({ summary }, [ref]),
      ),
    ),
  );
  for (const judge of judges) {
    if ('failure' in found) failures[judge] = found.failure;
    else if (!found.judges.includes(judge)) failures[judge] = null;
    else failures[judge] = await failureOf(judging, ref, steering, judge);
  }
}

/** Null where the judge's verdict is settled. */
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

/** The result of `work`, or its failure in words: a failing judge must not keep its question from ending. */
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
