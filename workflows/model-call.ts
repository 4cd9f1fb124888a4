import { ApplicationFailure } from '@temporalio/common';
import { ActivityCancellationType } from '@temporalio/workflow';
import { isGuarded, isOutside, type FailureType } from '../domain/failure-type.js';
import {
  firstRetryMs,
  noAttempts,
  storeReplyForMs,
  type CallAttempts,
} from '../domain/models/call-attempts.js';
import type { CallPolicy, Deferral } from '../domain/runs/question-ref.js';
import { attemptsLeftBy, failedActivity, paidBefore } from './activity-failure.js';
import type { Steering } from './question-steering.js';
import { queued, type ScheduledActivities } from './scheduling.js';

/** Longer than a worker lets a call wait for the rate limit before it defers the call. */
const waitInWorkerMs = 10 * 60_000;

/** A call that loses its worker in every round seems to be what ends workers. */
const mostRounds = 10;

/** Schedules one activity that calls a model. `attempts` is absent where there was none: nothing then stands in the history. */
export type ScheduleCall<T> = (
  activities: ScheduledActivities,
  ...attempts: [] | [CallAttempts]
) => Promise<T>;

/**
 * One call with its retries. Temporal counts attempts that were lost with their workers like those that failed, so a
 * round whose attempts are used up is followed by another with the attempts that have not failed. Rejects as the last
 * round did.
 * @param before - what the first round begins with
 */
export async function callWithRetries<T>(
  policy: CallPolicy,
  call: ScheduleCall<T>,
  before = noAttempts,
): Promise<T> {
  let attempts = before;
  for (let round = 1; ; round += 1) {
    try {
      const activities = callActivities(policy, attempts);
      return await (attempts === noAttempts ? call(activities) : call(activities, attempts));
    } catch (error) {
      const left = attemptsLeftBy(error, attempts);
      if (left === null) throw error;
      if (left.failed >= policy.modelAttempts || round === mostRounds) throw error;
      // All attempts of the round are over, and those that did not fail were lost.
      attempts = { ...left, lost: attempts.lost + policy.modelAttempts - left.failed };
    }
  }
}

const callActivities = (
  { modelTimeoutMs, modelAttempts }: CallPolicy,
  { failed }: CallAttempts,
): ScheduledActivities =>
  queued(
    // A call has a time-out of its own, and missing heartbeats tell of a lost worker.
    modelTimeoutMs + storeReplyForMs + waitInWorkerMs,
    {
      initialInterval: firstRetryMs,
      maximumInterval: '30 seconds',
      maximumAttempts: modelAttempts - failed,
    },
    // Its reply may have been paid for, and is to be stored before the question ends or asks again.
    { cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED },
  );

/** One call of a question that can be paused, stopped, or deferred. A deferred call uses up neither turn nor attempt. */
export function modelCall<T extends { readonly kind: string }>(
  policy: CallPolicy,
  steering: Steering,
  call: ScheduleCall<T | Deferral>,
  show: () => void,
): Promise<T> {
  return throughDeferrals(policy, steering, async (before) => {
    for (;;) {
      await steering.turnBoundary();
      show();
      const made = await steering.interruptible(() => callWithRetries(policy, call, before));
      if (made !== null) return made;
    }
  });
}

/**
 * Does work of a question, and waits as often as it is deferred. Only for work that may be repeated. Throws
 * ApplicationFailure where the policy is not to wait, or where deferrals of this work alone have used up its attempts.
 */
export async function throughDeferrals<T>(
  policy: CallPolicy,
  steering: Steering,
  work: (before: CallAttempts) => Promise<T | Deferral>,
): Promise<T> {
  for (let before = noAttempts; ;) {
    const made = await orDeferral(work, before);
    if (!isDeferred(made)) {
      await steering.goesOn();
      return made;
    }
    const { attempts = noAttempts, failure = 'ModelRateLimited', message } = made;
    const isGivenUp = attempts.failed >= policy.modelAttempts;
    if (isGivenUp || (made.reason === 'outage' && policy.onFailure !== 'wait'))
      throw ApplicationFailure.nonRetryable(message, failure, attempts);
    before = attempts;
    await steering.wait(made);
    await steering.turnBoundary();
  }
}

/**
 * The result of work; a deferral also where it failed of something outside that nothing in the worker guards. Where it may be
 * at fault itself, that counts.
 */
export const orDeferral = <T>(
  work: (before: CallAttempts) => Promise<T | Deferral>,
  before: CallAttempts,
): Promise<T | Deferred> =>
  work(before).catch((error: unknown) => {
    const failed = failedActivity(error);
    if (failed === null || (failed.type === null ? failed.final : !isUnguarded(failed.type)))
      throw error;
    const { type, message } = failed;
    return {
      kind: 'deferred',
      reason: 'outage',
      message,
      retryAfterMs: unguardedPauseMs,
      failure: type ?? 'Unknown',
      attempts: { ...paidBefore(error, before), failed: mayBeItsOwn(type) ? before.failed + 1 : 0 },
    };
  });

/** A deferral, with a reply that may be paid for and could not be stored. */
export interface Deferred extends Omit<Deferral, 'attempts'> {
  readonly attempts?: CallAttempts | undefined;
}

/** The wait before work is tried again whose activity has used up its attempts. */
const unguardedPauseMs = 60_000;

const isUnguarded = (type: FailureType): boolean => isOutside(type) && !isGuarded(type);

/** Whether the work itself may be what ends its workers, or the graph program. */
const mayBeItsOwn = (type: FailureType | null): boolean =>
  type === null || type === 'GraphProgramUnavailable';

const isDeferred = (made: unknown): made is Deferred =>
  typeof made === 'object' && made !== null && 'kind' in made && made.kind === 'deferred';
