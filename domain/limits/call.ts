/** A call that wants to be sent. */
export interface Call {
  /** Runs are served in turn. */
  readonly run: string;
  /** The length of the prompt. */
  readonly characters: number;
  /** The completion may have so many tokens. */
  readonly maxCompletion: number;
  /** `fixed`: the caller limits how many calls are in flight. `auto`: the rate limiter does. */
  readonly concurrency: 'auto' | 'fixed';
  /** The call is deferred if it cannot be sent before. */
  readonly deadlineMs: number;
}

/** A call that is to be sent now. Its end must be reported to the rate limiter, whatever it is. */
export interface Permit {
  readonly call: Call;
  /** The estimate that the token limit was charged with. */
  readonly tokens: number;
  readonly sentAtMs: number;
  /** How many times the rate limiter had backed off before the call was sent. */
  readonly backoffs: number;
  /** How many calls were sent between the last of them and this call. */
  readonly order: number;
}

/** A call that cannot be sent before its deadline. */
export interface Deferral {
  readonly call: Call;
  readonly reason: 'rate-limit' | 'quota';
  /** When it is worth trying again; null where that is not a matter of time. */
  readonly retryAfterMs: number | null;
}

/** What happens to the calls that wait. */
export interface Served {
  readonly permits: readonly Permit[];
  readonly deferrals: readonly Deferral[];
  /** When to serve again, unless a call ends before; null where nothing waits. */
  readonly wakeAtMs: number | null;
}
