import type { Call, TurnedAway } from './call.js';
import type { Stop } from './stop.js';

/**
 * Waiting calls that cannot be sent before their deadlines, or at all, with when to come back.
 * @param callRate - calls a millisecond that the limits leave room for; Infinity where none is known
 */
export function hopelessCalls(
  waiting: readonly Call[],
  { untilMs, reason }: Pick<Stop, 'untilMs' | 'reason'>,
  callRate: number,
  nowMs: number,
): readonly TurnedAway[] {
  if (reason === 'quota' && untilMs > nowMs)
    return waiting.map((call) => ({ call, reason: 'quota', retryAfterMs: null }));
  const queueMs = waiting.length / callRate;
  return waiting
    .filter(({ deadlineMs }) => deadlineMs <= nowMs || deadlineMs < untilMs)
    .map((call) => ({
      call,
      reason: 'rate-limit',
      retryAfterMs: Math.ceil(Math.max(untilMs - nowMs, queueMs, 1000)),
    }));
}
