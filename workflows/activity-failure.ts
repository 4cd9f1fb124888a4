import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { isCancellation } from '@temporalio/workflow';
import { isFailureType, type FailureType } from '../domain/failure-type.js';

/** Why an activity failed. */
export interface FailedActivity {
  /** Null for a time-out, and for what no activity of ours throws by itself. */
  readonly type: FailureType | null;
  readonly message: string;
  /** The same would fail again. */
  readonly final: boolean;
}

/** Null for what is no failure of an activity, a cancellation among it. */
export function failedActivity(error: unknown): FailedActivity | null {
  if (isCancellation(error)) return null;
  // What an activity done in the workflow's worker throws comes as it is, not inside an ActivityFailure.
  const isHere = error instanceof ApplicationFailure || error instanceof TimeoutFailure;
  if (!isHere && !(error instanceof ActivityFailure)) return null;
  const cause = isHere ? error : error.cause;
  const message = cause?.message ?? error.message;
  if (!(cause instanceof ApplicationFailure)) return { type: null, message, final: false };
  const { type, nonRetryable } = cause;
  return { type: isFailureType(type) ? type : null, message, final: nonRetryable === true };
}
