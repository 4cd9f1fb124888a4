import {
  ActivityFailure,
  ApplicationFailure,
  TimeoutFailure,
  TimeoutType,
} from '@temporalio/common';
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { isFailureType, type FailureType } from '../domain/failure-type.js';
import type { CallSoFar } from '../domain/questions/call-so-far.js';

/** Why an activity failed. */
export interface FailedActivity {
  /** Null for a time-out, and for what no activity of ours throws by itself. */
  readonly type: FailureType | null;
  readonly message: string;
  /** The same would fail again. */
  readonly final: boolean;
}

/**
 * The SDK cancels what a worker does for a workflow that the worker is about to forget, as when the server cannot be
 * reached for ten seconds; and where the server is back in time, it is the workflow that hears of it.
 */
const givenUp: FailedActivity = { type: null, message: 'its worker gave it up', final: false };

/** Null for what is no failure of an activity, a cancellation that was asked for among it. */
export function failedActivity(error: unknown): FailedActivity | null {
  if (isCancellation(error)) {
    return CancellationScope.current().consideredCancelled ? null : givenUp;
  }
  // What an activity done in the workflow's worker throws comes as it is, not inside an ActivityFailure.
  const isHere = error instanceof ApplicationFailure || error instanceof TimeoutFailure;
  if (!isHere && !(error instanceof ActivityFailure)) return null;
  const cause = isHere ? error : error.cause;
  const message = cause?.message ?? error.message;
  if (!(cause instanceof ApplicationFailure)) return { type: null, message, final: false };
  const { type, nonRetryable } = cause;
  return { type: isFailureType(type) ? type : null, message, final: nonRetryable === true };
}

/**
 * What the tries of a call, which Temporal has counted, leave to another round of them: the last one was lost with its
 * worker, or says how many have failed. Null where it says that there is no use in trying, or nothing.
 */
export function leftByTries(error: unknown): CallSoFar | null {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  if (cause instanceof TimeoutFailure) {
    if (cause.timeoutType !== TimeoutType.HEARTBEAT) return null;
    return soFarIn(cause.lastHeartbeatDetails) ?? {};
  }
  if (!(cause instanceof ApplicationFailure) || cause.nonRetryable === true) return null;
  return cause.type === workerShutdown ? {} : soFarIn(cause.details?.[0]);
}

/** As `activities/call-try.ts` leaves it; null where it was no such call. */
function soFarIn(left: unknown): CallSoFar | null {
  if (typeof left !== 'object' || left === null) return null;
  const { tries, paid } = left as CallSoFar;
  return typeof tries === 'number' ? { tries, ...(paid && { paid }) } : null;
}

/** What the SDK reports for an activity that a worker which is told to end does not wait for. */
const workerShutdown = 'WorkerShutdown';
