import { ActivityFailure, RetryState, TimeoutFailure, TimeoutType } from '@temporalio/common';
import { ApplicationFailure, CancellationScope, CancelledFailure } from '@temporalio/workflow';
import type { CallSoFar } from '../../domain/questions/call-so-far.js';
import { hereOrQueued } from '../../workflows/here-or-queued.js';
import { paidCall } from '../../workflows/paid-call.js';
import type { Steering } from '../../workflows/question-steering.js';

const cancelled = (): Promise<string> => Promise.reject(new CancelledFailure('given up'));

/** What is done here comes back as cancelled, which somebody asked for or nobody did. */
export const givenUpWorkflow = (isAskedFor: boolean): Promise<string> =>
  CancellationScope.cancellable(() => {
    if (isAskedFor) CancellationScope.current().cancel();
    return hereOrQueued(true, cancelled, () => Promise.resolve('done through the queue'));
  });

const unsteered: Steering = {
  turnBoundary: () => Promise.resolve(),
  isHeld: () => false,
  interruptible: (work) => work(),
  wait: () => Promise.resolve(),
  activeFor: () => Promise.resolve(),
};

/** How the last try of a round ended, and what the tries before it had left. */
export type LastTry = readonly ['lost' | 'told to end' | 'failed', left?: CallSoFar];

/** A call of eight tries whose first rounds of them end so; then it is made. What each round was given. */
export async function roundsWorkflow(
  ...lastTries: readonly LastTry[]
): Promise<readonly (CallSoFar | null)[]> {
  const given: (CallSoFar | null)[] = [];
  const call = (soFar?: CallSoFar): Promise<{ readonly kind: 'made' }> => {
    const last = lastTries[given.length];
    given.push(soFar ?? null);
    if (last === undefined) return Promise.resolve({ kind: 'made' });
    const { MAXIMUM_ATTEMPTS_REACHED } = RetryState;
    const cause = causeOf(last);
    return Promise.reject(
      new ActivityFailure('spent', 'askModel', '1', MAXIMUM_ATTEMPTS_REACHED, 'w', cause),
    );
  };
  await paidCall({ modelTimeoutMs: 1000, modelAttempts: 8 }, unsteered, call, () => undefined);
  return given;
}

function causeOf([how, left]: LastTry): Error {
  if (how === 'lost')
    return new TimeoutFailure('activity Heartbeat timeout', left, TimeoutType.HEARTBEAT);
  const type = how === 'failed' ? 'ModelUnavailable' : 'WorkerShutdown';
  return ApplicationFailure.create({ type, message: how, details: left ? [left] : [] });
}
