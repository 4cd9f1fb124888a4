import { CancellationScope, CancelledFailure } from '@temporalio/workflow';
import { hereOrQueued } from '../../workflows/here-or-queued.js';

const cancelled = (): Promise<string> => Promise.reject(new CancelledFailure('given up'));

/** What is done here comes back as cancelled, which somebody asked for or nobody did. */
export const givenUpWorkflow = (isAskedFor: boolean): Promise<string> =>
  CancellationScope.cancellable(() => {
    if (isAskedFor) CancellationScope.current().cancel();
    return hereOrQueued(true, cancelled, () => Promise.resolve('done through the queue'));
  });
