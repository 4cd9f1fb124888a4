import { ApplicationFailure, Context } from '@temporalio/activity';
import { isRetryable } from '../domain/failure-type.js';
import type { CallAttempts } from '../domain/models/call-attempts.js';
import { heartbeatIntervalMs } from '../domain/worker-timeouts.js';
import { PortFailure } from './ports/port-failure.js';

/** Whether what failed may succeed later. */
export const isPassing = (error: unknown): error is PortFailure =>
  error instanceof PortFailure && isRetryable(error.type);

/**
 * The only place an activity makes a failure, so that type, retry and cause always agree.
 * @param attempts - what the attempts at the call came to
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

/** Runs an activity's body; what its ports could not do reaches the workflow as a typed failure. */
export async function reportingFailures<T>(body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    throw error instanceof PortFailure ? activityFailure(error) : error;
  }
}

/**
 * Tells the server that this worker lives while `work` is under way, so that a killed worker's call is
 * repeated within seconds, and hands `work` the signal that fires when the call is no longer wanted.
 * @param work - may tell what the next attempt finds in its `heartbeatDetails`, should this one come to nothing
 */
export async function whileHeartbeating<T>(
  work: (signal: AbortSignal, tell: (details: unknown) => void) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  let latest: unknown;
  // Goes with the next heartbeat: one of its own costs the server a write, and most work ends before the first.
  const tell = (next: unknown): void => {
    latest = next;
  };
  // A local activity lives as long as the step of its workflow, which the server hears of by itself.
  if (context.info.isLocal) return work(context.cancellationSignal, tell);
  const timer = setInterval(() => context.heartbeat(latest), heartbeatIntervalMs);
  try {
    return await work(context.cancellationSignal, tell);
  } finally {
    clearInterval(timer);
  }
}
