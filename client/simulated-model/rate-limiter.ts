import { leakyBucket, minuteWindow, type CountedLimit } from './counted-limit.js';
import { limitSchedule, type LimitChange } from './limit-schedule.js';

export interface RateLimits {
  readonly requestsPerMinute: number | undefined;
  readonly tokensPerMinute: number | undefined;
  /** Whether allowance flows back all the time, or comes at once at the turn of a minute. */
  readonly limitKind: 'bucket' | 'minute';
  /** How many seconds' worth of a limit may be used at once after a rest; of buckets. */
  readonly burstSeconds: number;
  readonly limitChanges: readonly LimitChange[];
}

export type Admission =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'refused'; readonly waitMs: number; readonly by: 'requests' | 'tokens' };

export interface RateLimiter {
  /** Charges both limits, or neither. Times may come from any clock that does not go back. */
  readonly admit: (tokens: number, nowMs: number) => Admission;
  /** The `x-ratelimit-*` headers as OpenAI sends them. */
  readonly headers: (nowMs: number) => Readonly<Record<string, string>>;
}

/** What is refused by either limit costs nothing. */
export function createRateLimiter(limits: RateLimits, startMs: number): RateLimiter {
  const { limitKind, burstSeconds, limitChanges } = limits;
  const counted = (perMinute: number | undefined): CountedLimit | undefined => {
    if (perMinute === undefined) return undefined;
    const schedule = limitSchedule(perMinute, limitChanges, startMs);
    return limitKind === 'minute'
      ? minuteWindow(schedule, startMs)
      : leakyBucket(schedule, burstSeconds, startMs);
  };
  const requests = counted(limits.requestsPerMinute);
  const tokens = counted(limits.tokensPerMinute);
  return {
    admit: (cost, nowMs) => {
      const requestsMs = requests?.waitFor(1, nowMs) ?? 0;
      const tokensMs = tokens?.waitFor(cost, nowMs) ?? 0;
      if (tokensMs > requestsMs) return { kind: 'refused', waitMs: tokensMs, by: 'tokens' };
      if (requestsMs > 0) return { kind: 'refused', waitMs: requestsMs, by: 'requests' };
      requests?.take(1, nowMs);
      tokens?.take(cost, nowMs);
      return { kind: 'admitted' };
    },
    headers: (nowMs) => ({
      ...headersOf('requests', requests, nowMs),
      ...headersOf('tokens', tokens, nowMs),
    }),
  };
}

function headersOf(name: string, limit: CountedLimit | undefined, nowMs: number) {
  if (limit === undefined) return {};
  return {
    [`x-ratelimit-limit-${name}`]: String(limit.perMinute(nowMs)),
    [`x-ratelimit-remaining-${name}`]: String(Math.max(0, Math.floor(limit.remaining(nowMs)))),
    [`x-ratelimit-reset-${name}`]: `${(limit.resetMs(nowMs) / 1000).toFixed(3)}s`,
  };
}
