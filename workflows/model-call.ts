import {
  ActivityCancellationType,
  proxyActivities,
  type ActivityInterfaceFor,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { isOutside, type FailureName } from '../domain/failure-type.js';
import { heartbeatTimeout } from '../domain/worker-timeouts.js';
import {
  firstRetryMs,
  noAttempts,
  storeReplyForMs,
  type CallAttempts,
} from '../domain/models/call-attempts.js';
import type { CallPolicy, Deferral } from '../domain/runs/question-ref.js';
import { attemptsLeftBy, failedActivity, paidBefore } from './activity-failure.js';
import type { Steering } from './question-steering.js';

/** Longer than a worker lets a call wait for the rate limit before it defers the call. */
const waitInWorkerMs = 10 * 60_000;

/** A call that loses its worker in every round seems to be what ends workers. */
const mostRounds = 10;

/** Schedules one activity that calls a model. `attempts` is absent where there was none: nothing then stands in the history. */
export type ScheduleCall<T> = (
  activities: ActivityInterfaceFor<Activities>,
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
): ActivityInterfaceFor<Activities> =>
  proxyActivities<Activities>({
    // A call has a time-out of its own, and missing heartbeats tell of a lost worker.
    startToCloseTimeout: modelTimeoutMs + storeReplyForMs + waitInWorkerMs,
    heartbeatTimeout,
    // Its reply may have been paid for, and is to be stored before the question ends or asks again.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: {
      initialInterval: firstRetryMs,
      maximumInterval: '30 seconds',
      maximumAttempts: modelAttempts - failed,
    },
  });

/** One call of a question that can be paused, stopped, or deferred. A deferred call uses up neither turn nor attempt. */
export function modelCall<T extends { readonly kind: string }>(
  policy: CallPolicy,
  steering: Steering,
  call: ScheduleCall<T | Deferral>,
  show: () => void,
): Promise<T> {
  let before = noAttempts;
  const callOnce = async (): Promise<T | Deferral> => {
    try {
      return await callWithRetries(policy, call, before);
    } catch (error) {
      before = paidBefore(error, before);
      throw error;
    }
  };
  return throughOutages(policy, steering, async () => {
    for (;;) {
      await steering.turnBoundary();
      show();
      const made = await steering.interruptible(callOnce);
      if (made === null) continue;
      if (!isDeferral(made)) return made;
      await steering.wait(made);
    }
  });
}

const isDeferral = (made: { readonly kind: string }): made is Deferral => made.kind === 'deferred';

/**
 * Does work of a question that something outside may hinder. Where the policy is to wait, the question then waits until its
 * run wakes it, and the work is done again. Only for work that may be repeated.
 */
export async function throughOutages<T>(
  { onFailure = 'end' }: CallPolicy,
  steering: Steering,
  work: () => Promise<T>,
): Promise<T> {
  for (let failed: FailureName | null = null; ;) {
    try {
      const done = await work();
      if (failed !== null) await steering.recovered(failed);
      return done;
    } catch (error) {
      const outage = onFailure === 'wait' ? outageOf(error) : null;
      if (outage === null) throw error;
      failed = outage.failure;
      await steering.wait(outage);
      await steering.turnBoundary();
    }
  }
}

/** A failure outside of the question, as a reason to wait; null for others. */
export function outageOf(error: unknown): (Deferral & { readonly failure: FailureName }) | null {
  const failed = failedActivity(error);
  if (failed === null || (failed.type === null ? failed.final : !isOutside(failed.type)))
    return null;
  const { type, message } = failed;
  const failure = type ?? 'Unknown';
  return { kind: 'deferred', reason: 'outage', message, retryAfterMs: null, failure };
}
