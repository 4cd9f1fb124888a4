import { ApplicationFailure } from '@temporalio/activity';
import { mayPass } from '../domain/failure-type.js';
import type { CallSoFar } from '../domain/questions/call-so-far.js';
import { PortFailure } from './ports/port-failure.js';

/** Whether what failed may succeed later. */
export const isPassing = (error: unknown): error is PortFailure =>
  error instanceof PortFailure && mayPass(error.type);

/**
 * The only place an activity makes a failure, so that type, retry and cause always agree.
 * @param left - what was done for a call until then
 */
export function activityFailure(failure: PortFailure, left?: CallSoFar): ApplicationFailure {
  const { type, message } = failure;
  const { cause, retryAfterMs } = failure.options;
  return ApplicationFailure.create({
    type,
    message,
    nonRetryable: !mayPass(type),
    ...(retryAfterMs !== undefined && { nextRetryDelay: retryAfterMs }),
    ...(cause instanceof Error && { cause }),
    ...(left && { details: [left] }),
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
