import {
  ActivityFailure,
  ApplicationFailure,
  TimeoutFailure,
  TimeoutType,
} from '@temporalio/common';
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { FailedCall } from '../domain/agent/question-result.js';
import { isFailureType, type FailureType } from '../domain/failure-type.js';
import { noAttempts, type CallAttempts } from '../domain/models/call-attempts.js';

/** Why an activity failed. */
interface FailedActivity {
  /** Null for a time-out, and for what no activity of ours throws by itself. */
  readonly type: FailureType | null;
  readonly message: string;
  /** Another attempt would fail in the same way. */
  readonly final: boolean;
}

/**
 * The SDK cancels local activities of a workflow that the worker evicts, for example while the server cannot be reached.
 * The workflow sees that cancellation where the server is back in time.
 */
const evicted: FailedActivity = { type: null, message: 'its worker gave it up', final: false };

/** Null for an error that is no failure of an activity, and for a cancellation that was asked for. */
export function failedActivity(error: unknown): FailedActivity | null {
  if (isCancellation(error)) {
    return CancellationScope.current().consideredCancelled ? null : evicted;
  }
  // A local activity's failure is not wrapped in an ActivityFailure.
  const isLocal = error instanceof ApplicationFailure || error instanceof TimeoutFailure;
  if (!isLocal && !(error instanceof ActivityFailure)) return null;
  const cause = isLocal ? error : error.cause;
  const message = cause?.message ?? error.message;
  if (!(cause instanceof ApplicationFailure)) return { type: null, message, final: false };
  const { type, nonRetryable } = cause;
  return { type: isFailureType(type) ? type : null, message, final: nonRetryable === true };
}

/**
 * What a round of attempts leaves to the next one, where the last attempt was lost with its worker or says how many
 * failed. Null for a failure that another attempt would repeat, and for one of another kind.
 * @param before - what the round began with
 */
export function attemptsLeftBy(error: unknown, before: CallAttempts): CallAttempts | null {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  if (cause instanceof TimeoutFailure) {
    if (cause.timeoutType !== TimeoutType.HEARTBEAT) return null;
    return { ...before, ...attemptsIn(cause.lastHeartbeatDetails) };
  }
  if (!(cause instanceof ApplicationFailure) || cause.nonRetryable === true) return null;
  if (cause.type === workerShutdown) return before;
  const left = attemptsIn(cause.details?.[0]);
  return left && { ...before, ...left };
}

/**
 * What a call begins with that is made again after all its attempts: nothing but a reply that is paid for.
 * @param before - what it began with
 */
export function paidBefore(error: unknown, before: CallAttempts): CallAttempts {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  const reported: unknown =
    cause instanceof TimeoutFailure
      ? cause.lastHeartbeatDetails
      : cause instanceof ApplicationFailure
        ? cause.details?.[0]
        : undefined;
  const paid = attemptsIn(reported)?.paid;
  return paid === undefined ? before : { ...noAttempts, paid };
}

/** The attempts at a model call that failed, as the last of them says; null for other failures. */
export function attemptsFailed(error: unknown): FailedCall | null {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof ApplicationFailure)) return null;
  const { failed = 0, failures } = attemptsIn(cause.details?.[0]) ?? {};
  return failed === 0 ? null : { attempts: failed, ...(failures && { failures }) };
}

/** As `activities/questions/call-attempt.ts` reports it; null where nothing was reported. */
function attemptsIn(reported: unknown): Partial<CallAttempts> | null {
  if (typeof reported !== 'object' || reported === null) return null;
  const { failed, unanswered = 0, paid, failures } = reported as Partial<CallAttempts>;
  if (typeof failed !== 'number') return null;
  return { failed, unanswered, ...(failures && { failures }), ...(paid !== undefined && { paid }) };
}

/** What the SDK reports for an activity that outlives its worker's shutdown. */
const workerShutdown = 'WorkerShutdown';
