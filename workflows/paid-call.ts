import { patched, proxyActivities, type ActivityInterfaceFor } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { mayPass } from '../domain/failure-type.js';
import { heartbeatTimeout } from '../domain/lost-worker.js';
import type { Deferral } from '../domain/questions/deferral.js';
import { firstRetryMs } from '../domain/questions/first-retry.js';
import { storingPatienceMs } from '../domain/questions/storing-patience.js';
import { failedActivity, wasLost } from './activity-failure.js';
import type { Steering } from './question-steering.js';

/** What every paid call of a question is made by. */
export interface CallPolicy {
  readonly modelTimeoutMs: number;
  /** Tries of one call before the question does without it, or waits. */
  readonly modelAttempts: number;
  /** What becomes of a call whose tries are spent for a reason that may pass. @defaultValue 'end' */
  readonly onFailure?: 'end' | 'wait';
}

/** Longer than a worker lets a call wait for its turn before it gives the place back. */
const placeInLineMs = 10 * 60_000;

/** Activities that call a model. */
export const callingActivities = ({
  modelTimeoutMs,
  modelAttempts,
}: CallPolicy): ActivityInterfaceFor<Activities> =>
  proxyActivities<Activities>({
    // A call has its own time-out, and a lost worker is noticed by its heartbeats.
    startToCloseTimeout: modelTimeoutMs + storingPatienceMs + placeInLineMs,
    heartbeatTimeout,
    retry: {
      initialInterval: firstRetryMs,
      maximumInterval: '30 seconds',
      maximumAttempts: modelAttempts,
    },
  });

/** Whole rounds of tries whose last one was lost with its worker, before it is the call that seems to end workers. */
const lostAtMost = 10;

/**
 * One call, as often as it takes to be made: a question that has to wait loses neither turn nor attempt, and workers that
 * are lost again and again do not use up its tries.
 */
export async function paidCall<T extends { readonly kind: string }>(
  { onFailure }: CallPolicy,
  steering: Steering,
  call: () => Promise<T | Deferral>,
  show: () => void,
): Promise<T> {
  for (let lost = 0; ;) {
    await steering.turnBoundary();
    show();
    try {
      const made = await steering.interruptible(call);
      if (made === null) continue;
      if (!isDeferral(made)) return made;
      await steering.wait(made);
    } catch (error) {
      if (wasLost(error) && lost < lostAtMost && patched('lost-is-no-try')) {
        lost += 1;
        continue;
      }
      const deferral = onFailure === 'wait' ? deferralOf(error) : null;
      if (deferral === null) throw error;
      await steering.wait(deferral);
    }
  }
}

const isDeferral = (made: { readonly kind: string }): made is Deferral => made.kind === 'deferred';

/** A failure that may pass, as a reason to wait; null for others. */
function deferralOf(error: unknown): Deferral | null {
  const failure = failedActivity(error);
  if (failure === null || (failure.type !== null && !mayPass(failure.type))) return null;
  const { message } = failure;
  return { kind: 'deferred', reason: 'retries-spent', message, retryAfterMs: null };
}
