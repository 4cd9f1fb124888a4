import { ActivityFailure, RetryState, TimeoutFailure, TimeoutType } from '@temporalio/common';
import { ApplicationFailure, CancellationScope, CancelledFailure } from '@temporalio/workflow';
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

/** A call whose rounds of tries all end with a worker that is lost, `times` times; then it is made. */
export async function lostWorkflow(times: number): Promise<number> {
  let rounds = 0;
  const call = (): Promise<{ readonly kind: 'made' }> => {
    rounds += 1;
    if (rounds > times) return Promise.resolve({ kind: 'made' });
    const cause =
      rounds % 2 === 0
        ? new TimeoutFailure('activity Heartbeat timeout', null, TimeoutType.HEARTBEAT)
        : ApplicationFailure.create({ type: 'WorkerShutdown', message: 'did not complete' });
    const { MAXIMUM_ATTEMPTS_REACHED } = RetryState;
    const lost = new ActivityFailure('lost', 'askModel', '1', MAXIMUM_ATTEMPTS_REACHED, 'w', cause);
    return Promise.reject(lost);
  };
  await paidCall({ modelTimeoutMs: 1000, modelAttempts: 8 }, unsteered, call, () => undefined);
  return rounds;
}
