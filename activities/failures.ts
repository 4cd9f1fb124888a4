import { ApplicationFailure, Context } from '@temporalio/activity';
import { isRetryable } from '../domain/failure-type.js';
import type { CallAttempts } from '../domain/models/call-attempts.js';
import type { Deferral } from '../domain/runs/question-ref.js';
import { heartbeatIntervalMs } from '../domain/worker-timeouts.js';
import { PortFailure } from './ports/port-failure.js';

/** Whether the same request may succeed later. */
export const isRetryableFailure = (error: unknown): error is PortFailure =>
  error instanceof PortFailure && isRetryable(error.type);

/**
 * The only place an activity makes a failure, so that type, retry and cause always agree.
 * @param attempts - how many attempts at the call have failed or were lost
 */
export function activityFailure(failure: PortFailure, attempts?: CallAttempts): ApplicationFailure {
  const { type, message } = failure;
  const { cause, retryAfterMs } = failure.options;
  return ApplicationFailure.create({
    type,
    message,
    nonRetryable: !isRetryable(type),
    ...(retryAfterMs !== undefined && { nextRetryDelay: retryAfterMs }),
    ...(cause instanceof Error && { cause }),
    ...(attempts && { details: [attempts] }),
  });
}

/** Runs an activity's body. A PortFailure reaches the workflow as an ApplicationFailure with its type. */
export async function reportingFailures<T>(body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    throw error instanceof PortFailure ? activityFailure(error) : error;
  }
}

/** What the body of an activity gets beside its input. */
export interface Work {
  /** Fires when the activity is cancelled. */
  readonly signal: AbortSignal;
  /** Sets what the next attempt finds in its `heartbeatDetails` if this one does not complete. */
  readonly keep: (details: unknown) => void;
}

/** An activity made of its body: it sends heartbeats meanwhile, and reports failures. */
export const activity =
  <Input, Output>(
    body: (input: Input, work: Work) => Promise<Output>,
  ): ((input: Input) => Promise<Output>) =>
  (input) =>
    reportingFailures(() => whileHeartbeating((signal, keep) => body(input, { signal, keep })));

/**
 * The same for work that is asked for again later, at no cost, where something it needs is known to fail: it resolves to
 * the deferral.
 */
export const deferrable = <Input, Output>(
  body: (input: Input, work: Work) => Promise<Output>,
): ((input: Input) => Promise<Output | Deferral>) =>
  activity((input, work) =>
    body(input, work).catch((error: unknown) => {
      const deferral = deferralOf(error);
      if (deferral) return deferral;
      throw error;
    }),
  );

/** The deferral of work that was not done; null for other errors. */
export function deferralOf(error: unknown): Deferral | null {
  if (!(error instanceof PortFailure) || error.type !== 'ModelDeferred') return null;
  const { reason = 'rate-limit', retryAfterMs = null, need, outage, batch } = error.options;
  return {
    kind: 'deferred',
    reason,
    message: error.message,
    retryAfterMs,
    ...(need && { need }),
    ...(outage && { failure: outage }),
    ...(batch !== undefined && { batch }),
  };
}

/**
 * Sends heartbeats while `work` runs, so that the server repeats the activity within seconds when its worker dies. `work`
 * gets the signal that fires when the activity is cancelled.
 * @param work - `setDetails` sets what the next attempt finds in its `heartbeatDetails` if this attempt does not complete
 */
export async function whileHeartbeating<T>(
  work: (signal: AbortSignal, setDetails: (details: unknown) => void) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  let latest: unknown;
  // The details are sent with the next heartbeat. A heartbeat for each change would cost the server a write, and most
  // work ends before its first heartbeat.
  const setDetails = (next: unknown): void => {
    latest = next;
  };
  // A local activity belongs to a workflow task, and the server notices by itself when that is lost.
  if (context.info.isLocal) return work(context.cancellationSignal, setDetails);
  const timer = setInterval(() => context.heartbeat(latest), heartbeatIntervalMs);
  try {
    return await work(context.cancellationSignal, setDetails);
  } finally {
    clearInterval(timer);
  }
}
