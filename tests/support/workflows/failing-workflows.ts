import { ActivityFailure, RetryState, TimeoutFailure, TimeoutType } from '@temporalio/common';
import { ApplicationFailure, CancellationScope, CancelledFailure } from '@temporalio/workflow';
import type { CallAttempts } from '../../../domain/models/call-attempts.js';
import { modelCall, type ScheduleCall } from '../../../workflows/model-call.js';
import type { Steering } from '../../../workflows/question-steering.js';
import { localFirst, type ScheduledActivities } from '../../../workflows/scheduling.js';

/** A local activity that is cancelled, by request or by its worker alone. */
export const cancelledLocallyWorkflow = (isAskedFor: boolean): Promise<string> =>
  CancellationScope.cancellable(() => {
    if (isAskedFor) CancellationScope.current().cancel();
    // Nothing is asked of it.
    const queue = {} as ScheduledActivities;
    return localFirst(queue, (activities) =>
      activities === queue
        ? Promise.resolve('done through the queue')
        : Promise.reject(new CancelledFailure('given up')),
    );
  });

const unsteered: Steering = {
  turnBoundary: () => Promise.resolve(),
  interruptible: (work) => work(),
  wait: () => Promise.resolve(),
  goesOn: () => Promise.resolve(),
  activeFor: () => Promise.resolve(),
};

/** How the last attempt of a round ended, and what it reported. */
export type LastAttempt = readonly [
  'lost' | 'told to end' | 'failed',
  reported?: Partial<CallAttempts>,
];

/** A call of eight attempts a round, whose first rounds end so; then it succeeds. Resolves to what each round was given. */
export const roundsWorkflow = (
  ...lastAttempts: readonly LastAttempt[]
): Promise<readonly (CallAttempts | null)[]> => rounds('end', lastAttempts);

/** The same where a call that has failed for good waits and is made again. */
export const waitingRoundsWorkflow = (
  ...lastAttempts: readonly LastAttempt[]
): Promise<readonly (CallAttempts | null)[]> => rounds('wait', lastAttempts);

async function rounds(
  onFailure: 'end' | 'wait',
  lastAttempts: readonly LastAttempt[],
): Promise<readonly (CallAttempts | null)[]> {
  const given: (CallAttempts | null)[] = [];
  const call: ScheduleCall<{ readonly kind: 'made' }> = (_, ...[before]) => {
    const last = lastAttempts[given.length];
    given.push(before ?? null);
    if (last === undefined) return Promise.resolve({ kind: 'made' });
    const { MAXIMUM_ATTEMPTS_REACHED } = RetryState;
    const cause = causeOf(last);
    return Promise.reject(
      new ActivityFailure('exhausted', 'askModel', '1', MAXIMUM_ATTEMPTS_REACHED, 'w', cause),
    );
  };
  const policy = { modelTimeoutMs: 1000, modelAttempts: 8, onFailure };
  await modelCall(policy, unsteered, call, () => undefined);
  return given;
}

function causeOf([how, reported]: LastAttempt): Error {
  if (how === 'lost')
    return new TimeoutFailure('activity Heartbeat timeout', reported, TimeoutType.HEARTBEAT);
  const type = how === 'failed' ? 'RunFilesUnavailable' : 'WorkerShutdown';
  return ApplicationFailure.create({ type, message: how, details: reported ? [reported] : [] });
}
