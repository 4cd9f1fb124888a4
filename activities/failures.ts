import { ApplicationFailure } from '@temporalio/activity';
import { mayPass } from '../domain/failure-type.js';
import { PortFailure } from './ports/port-failure.js';

/** The only place an activity makes a failure, so that type, retry and cause always agree. */
export function activityFailure(failure: PortFailure): ApplicationFailure {
  const { type, message } = failure;
  const { cause, retryAfterMs } = failure.options;
  return ApplicationFailure.create({
    type,
    message,
    nonRetryable: !mayPass(type),
    ...(retryAfterMs !== undefined && { nextRetryDelay: retryAfterMs }),
    ...(cause instanceof Error && { cause }),
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
