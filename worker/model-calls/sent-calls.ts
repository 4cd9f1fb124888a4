import type { CallStage, ModelPort } from '../../activities/ports/model.js';
import { PortFailure } from '../../activities/ports/port-failure.js';

/** The model calls of a worker that are sent: they are paid for, whatever becomes of the worker. */
export interface SentCalls {
  readonly count: () => number;
  /** How many calls are in each stage. */
  readonly stages: () => Readonly<Record<CallStage, number>>;
  /** The first link of a model call. */
  readonly link: (next: ModelPort) => ModelPort;
}

/**
 * Counts the calls that are sent. One that waits to be sent when the worker stops, or that would wait again, is deferred at
 * once, so that another worker makes it.
 * @param stopping - aborts when the worker begins to stop
 */
export function countSentCalls(stopping: AbortSignal): SentCalls {
  const stages: Record<CallStage, number> = {
    'waits for the budget': 0,
    'waits for its turn': 0,
    'calls the model': 0,
  };
  // One listener for all: Node warns of more than ten.
  const open = new Set<() => void>();
  stopping.addEventListener('abort', () => {
    for (const leaveUnlessSent of open) leaveUnlessSent();
  });
  return {
    count: () => stages['calls the model'],
    stages: () => stages,
    link: (next) => ({
      complete: async (request, signal, report) => {
        const leave = new AbortController();
        let stage: CallStage | null = null;
        const leaveUnlessSent = (): void => {
          if (stopping.aborted && stage !== 'calls the model') leave.abort(workerStops());
        };
        const enter = (now: CallStage | null): void => {
          if (stage !== null) stages[stage] -= 1;
          stage = now;
          if (stage !== null) stages[stage] += 1;
          leaveUnlessSent();
        };
        leaveUnlessSent();
        open.add(leaveUnlessSent);
        try {
          leave.signal.throwIfAborted();
          const either = AbortSignal.any([signal, leave.signal]);
          return await next.complete(request, either, (now, failed) => {
            enter(now);
            report?.(now, failed);
          });
        } finally {
          open.delete(leaveUnlessSent);
          enter(null);
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
