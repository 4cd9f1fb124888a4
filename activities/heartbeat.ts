import { Context } from '@temporalio/activity';
import { heartbeatIntervalMs } from '../domain/lost-worker.js';

/**
 * Tells the server that this worker lives while `work` is under way, so that a killed worker's call is
 * repeated within seconds, and hands `work` the signal that fires when the call is no longer wanted.
 * @param work - may tell what the next attempt finds in its `heartbeatDetails`, should this one come to nothing
 */
export async function whileHeartbeating<T>(
  work: (signal: AbortSignal, tell: (details: unknown) => void) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  let latest: unknown;
  // Goes with the next heartbeat: one of its own costs the server a write, and most work ends before the first.
  const tell = (next: unknown): void => {
    latest = next;
  };
  // A local activity lives as long as the step of its workflow, which the server hears of by itself.
  if (context.info.isLocal) return work(context.cancellationSignal, tell);
  const timer = setInterval(() => context.heartbeat(latest), heartbeatIntervalMs);
  try {
    return await work(context.cancellationSignal, tell);
  } finally {
    clearInterval(timer);
  }
}
