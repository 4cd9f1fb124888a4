/** The usage of one limit, as a provider counts it. Times may come from any monotonic clock. */
interface CountedLimit {
  readonly perMinute: (nowMs: number) => number;
  /** Milliseconds until `cost` is admitted; 0 if it is admitted now. */
  readonly waitFor: (cost: number, nowMs: number) => number;
  readonly take: (cost: number, nowMs: number) => void;
  readonly remaining: (nowMs: number) => number;
  /** Milliseconds until the full allowance is available again. */
  readonly resetMs: (nowMs: number) => number;
}

/** The allowance refills continuously, up to `burstSeconds` worth of the limit. A refused request costs nothing. */
function leakyBucket(schedule: LimitSchedule, burstSeconds: number, startMs: number): CountedLimit {
  const capacity = (nowMs: number): number => Math.max(1, (schedule.at(nowMs) * burstSeconds) / 60);
  let level = capacity(startMs);
  let atMs = startMs;
  const levelAt = (nowMs: number): number =>
    Math.min(capacity(nowMs), level + schedule.between(atMs, nowMs));
  return {
    perMinute: schedule.at,
    // A full bucket admits a request larger than itself and goes into debt. Otherwise such a request would wait for ever.
    waitFor: (cost, nowMs) => {
      const missing = Math.min(cost, capacity(nowMs)) - levelAt(nowMs);
      return missing <= 1e-9 ? 0 : Math.ceil(schedule.msFor(missing, nowMs));
    },
    take: (cost, nowMs) => {
      level = levelAt(nowMs) - cost;
      atMs = nowMs;
    },
    remaining: levelAt,
    resetMs: (nowMs) => schedule.msFor(capacity(nowMs) - levelAt(nowMs), nowMs),
  };
}

const minuteMs = 60_000;

/** The full allowance becomes available at the start of each minute, counted from `startMs`. */
function minuteWindow(schedule: LimitSchedule, startMs: number): CountedLimit {
  let minute = 0;
  let used = 0;
  const advance = (nowMs: number): void => {
    const now = Math.floor((nowMs - startMs) / minuteMs);
    if (now === minute) return;
    minute = now;
    used = 0;
  };
  const resetMs = (nowMs: number): number => {
    advance(nowMs);
    return startMs + (minute + 1) * minuteMs - nowMs;
  };
  const remaining = (nowMs: number): number => {
    advance(nowMs);
    return schedule.at(nowMs) - used;
  };
  return {
    perMinute: schedule.at,
    // As above, an unused minute admits a request larger than the limit.
    waitFor: (cost, nowMs) =>
      Math.min(cost, schedule.at(nowMs)) <= remaining(nowMs) ? 0 : Math.ceil(resetMs(nowMs)),
    take: (cost, nowMs) => {
      advance(nowMs);
      used += cost;
    },
    remaining,
    resetMs,
  };
}

/** After `afterSeconds` a limit is `factor` times its initial value. */
interface LimitChange {
  readonly afterSeconds: number;
  readonly factor: number;
}

/** A limit that changes at known times. */
interface LimitSchedule {
  /** Units a minute. */
  readonly at: (nowMs: number) => number;
  /** Units that are refilled between two times. */
  readonly between: (fromMs: number, toMs: number) => number;
  /** Milliseconds from `nowMs` until `units` are refilled, if the limit does not change. */
  readonly msFor: (units: number, nowMs: number) => number;
}

function limitSchedule(
  perMinute: number,
  changes: readonly LimitChange[],
  startMs: number,
): LimitSchedule {
  const steps = [
    { fromMs: -Infinity, perMinute },
    ...changes
      .map(({ afterSeconds, factor }) => ({
        fromMs: startMs + afterSeconds * 1000,
        perMinute: perMinute * factor,
      }))
      .sort((a, b) => a.fromMs - b.fromMs),
  ];
  const at = (nowMs: number): number =>
    steps.findLast(({ fromMs }) => fromMs <= nowMs)?.perMinute ?? perMinute;
  return {
    at,
    between: (fromMs, toMs) =>
      steps.reduce((units, step, index) => {
        const endMs = steps[index + 1]?.fromMs ?? Infinity;
        const ms = Math.min(toMs, endMs) - Math.max(fromMs, step.fromMs);
        return units + (Math.max(0, ms) * step.perMinute) / 60_000;
      }, 0),
    msFor: (units, nowMs) => (units * 60_000) / at(nowMs),
  };
}

export interface RateLimits {
  readonly requestsPerMinute: number | undefined;
  readonly tokensPerMinute: number | undefined;
  /** `bucket`: the allowance refills continuously. `minute`: it is available in full at the start of each minute. */
  readonly limitKind: 'bucket' | 'minute';
  /** How many seconds' worth of a limit a full bucket holds. */
  readonly burstSeconds: number;
  readonly limitChanges: readonly LimitChange[];
}

type Admission =
  | { readonly kind: 'admitted' }
  | {
      readonly kind: 'refused';
      readonly waitMs: number;
      readonly by: 'requests' | 'tokens';
      /** The limit that refused, in units a minute, and what the request would have taken of it. */
      readonly perMinute: number;
      readonly cost: number;
    };
export type Refused = Extract<Admission, { readonly kind: 'refused' }>;

export interface RateLimiter {
  /** Charges both limits, or neither. Times may come from any monotonic clock. */
  readonly admit: (tokens: number, nowMs: number) => Admission;
  /** The `x-ratelimit-*` headers in OpenAI's format. */
  readonly headers: (nowMs: number) => Readonly<Record<string, string>>;
}

/** A limiter of requests and tokens. A request that either limit refuses costs nothing. */
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
      if (tokensMs > requestsMs) {
        const perMinute = tokens?.perMinute(nowMs) ?? 0;
        return { kind: 'refused', waitMs: tokensMs, by: 'tokens', perMinute, cost };
      }
      if (requestsMs > 0) {
        const perMinute = requests?.perMinute(nowMs) ?? 0;
        return { kind: 'refused', waitMs: requestsMs, by: 'requests', perMinute, cost: 1 };
      }
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
