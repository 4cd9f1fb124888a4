import { ApplicationFailure } from '@temporalio/activity';
import { isRetryable } from '../domain/failure-type.js';
import type { CallAttempts } from '../domain/models/call-attempts.js';
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
