import type { ModelPort } from '../../activities/ports/model.js';
import { PortFailure } from '../../activities/ports/port-failure.js';

/** The model calls of a worker that are sent: they are paid for, whatever becomes of the worker. */
export interface SentCalls {
  readonly count: () => number;
  /** The first link of a model call. */
  readonly link: (next: ModelPort) => ModelPort;
}

/**
 * Counts the calls that are sent. One that waits to be sent when the worker stops, or that would wait again, is deferred at
 * once, so that another worker makes it.
 * @param stopping - aborts when the worker begins to stop
 */
export function countSentCalls(stopping: AbortSignal): SentCalls {
  let sent = 0;
  // One listener for all: Node warns of more than ten.
  const open = new Set<() => void>();
  stopping.addEventListener('abort', () => {
    for (const leaveUnlessSent of open) leaveUnlessSent();
  });
  return {
    count: () => sent,
    link: (next) => ({
      complete: async (request, signal, report) => {
        const leave = new AbortController();
        let isSent = false;
        const leaveUnlessSent = (): void => {
          if (stopping.aborted && !isSent) leave.abort(workerStops());
        };
        const setSent = (now: boolean): void => {
          if (now !== isSent) sent += now ? 1 : -1;
          isSent = now;
          leaveUnlessSent();
        };
        leaveUnlessSent();
        open.add(leaveUnlessSent);
        try {
          leave.signal.throwIfAborted();
          const either = AbortSignal.any([signal, leave.signal]);
          return await next.complete(request, either, (stage, failed) => {
            setSent(stage === 'calls the model');
            report?.(stage, failed);
          });
        } finally {
          open.delete(leaveUnlessSent);
          setSent(false);
        }
      },
    }),
  };
}

const workerStops = (): PortFailure =>
  new PortFailure('ModelDeferred', 'The worker stops: another one makes the call.', {
    reason: 'rate-limit',
    retryAfterMs: 1_000,
  });
