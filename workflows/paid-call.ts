import { proxyActivities, type ActivityInterfaceFor } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { mayPass } from '../domain/failure-type.js';
import { heartbeatTimeout } from '../domain/lost-worker.js';
import type { CallSoFar } from '../domain/questions/call-so-far.js';
import type { Deferral } from '../domain/questions/deferral.js';
import { firstRetryMs } from '../domain/questions/first-retry.js';
import { storingPatienceMs } from '../domain/questions/storing-patience.js';
import { failedActivity, leftByTries } from './activity-failure.js';
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

/** Activities that call a model, with the tries that are left. */
export const callingActivities = (
  { modelTimeoutMs, modelAttempts }: CallPolicy,
  { tries = 0 }: CallSoFar = {},
): ActivityInterfaceFor<Activities> =>
  proxyActivities<Activities>({
    // A call has its own time-out, and a lost worker is noticed by its heartbeats.
    startToCloseTimeout: modelTimeoutMs + storingPatienceMs + placeInLineMs,
    heartbeatTimeout,
    retry: {
      initialInterval: firstRetryMs,
      maximumInterval: '30 seconds',
      maximumAttempts: modelAttempts - tries,
    },
  });

/** What such an activity is given: nothing stands in the history of a call for which nothing was done before. */
export const callArguments = <Ref>(
  ref: Ref,
  soFar: CallSoFar | undefined,
): [ref: Ref, soFar?: CallSoFar] => (soFar ? [ref, soFar] : [ref]);

/** After so many rounds it is the call that seems to end workers. */
const roundsAtMost = 10;

/**
 * A call, in rounds of as many tries as it has left: Temporal counts those that are lost with their workers, and they are
 * none. Rejects as the last round did.
 * @param call - gets what rounds before it have left; undefined in the first one
 */
export async function inRounds<T>(
  { modelAttempts }: CallPolicy,
  call: (soFar?: CallSoFar) => Promise<T>,
): Promise<T> {
  let soFar: CallSoFar | undefined;
  for (let round = 1; ; round += 1) {
    try {
      return await call(soFar);
    } catch (error) {
      const left = leftByTries(error);
      if (left === null) throw error;
      const { tries = 0, lost = 0, ...rest }: CallSoFar = { ...soFar, ...left };
      if (tries >= modelAttempts || round === roundsAtMost) throw error;
      soFar = { ...rest, tries, lost: lost + modelAttempts - tries };
    }
  }
}

/** One call, as often as it takes to be made: a question that has to wait loses neither turn nor attempt. */
export async function paidCall<T extends { readonly kind: string }>(
  policy: CallPolicy,
  steering: Steering,
  call: (soFar?: CallSoFar) => Promise<T | Deferral>,
  show: () => void,
): Promise<T> {
  for (;;) {
    await steering.turnBoundary();
    show();
    try {
      const made = await steering.interruptible(() => inRounds(policy, call));
      if (made === null) continue;
      if (!isDeferral(made)) return made;
      await steering.wait(made);
    } catch (error) {
      const deferral = policy.onFailure === 'wait' ? deferralOf(error) : null;
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
