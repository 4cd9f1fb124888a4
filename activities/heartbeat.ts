import { Context } from '@temporalio/activity';

/** Often enough for the shortest heartbeat time-out any proxy states (15 s). */
const intervalMs = 3_000;

/**
 * Tells the server that this worker lives while `work` is under way, so that a killed worker's call is
 * repeated within seconds, and hands `work` the signal that fires when the call is no longer wanted.
 * @param details - what the next attempt finds in its `heartbeatDetails`, should this one come to nothing.
 */
export async function whileHeartbeating<T>(
  work: (signal: AbortSignal) => Promise<T>,
  details?: unknown,
): Promise<T> {
  const context = Context.current();
  if (details !== undefined) context.heartbeat(details);
  const timer = setInterval(() => context.heartbeat(details), intervalMs);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}
