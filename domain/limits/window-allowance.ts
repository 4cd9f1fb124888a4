/** What a provider said of one limit in the reply to a call. */
export interface Remaining {
  /** Units left when that call had been charged. Absent where it does not say. */
  readonly units: number | undefined;
  /** Sent since that call, in the same unit. */
  readonly sentSince: number;
  readonly sentAtMs: number;
  /** From that call on, until all is there again by its own account. Absent where it does not say. */
  readonly resetMs: number | undefined;
}

interface Look {
  readonly units: number;
  readonly sentAtMs: number;
  readonly resetAtMs: number;
}

/** Between two looks; resets are often whole seconds. */
const leastMs = 4000;
/** Longer windows are no concern of a pace a minute. */
const longestMs = 120_000;

/**
 * Believes `remaining` and `reset` of providers that count in fixed windows: when nothing remains, nothing is accepted
 * before the reset. Where allowance flows back all the time, the reset moves away with each call, and is no such moment.
 */
export class WindowAllowance {
  #isWindow = false;
  #look: Look | null = null;
  /** Nothing remains until then. */
  #emptyUntilMs = -Infinity;

  get readyAtMs(): number {
    return this.#emptyUntilMs;
  }

  learn({ units, sentSince, sentAtMs, resetMs }: Remaining, nowMs: number): void {
    if (units === undefined || resetMs === undefined) return;
    const resetAtMs = sentAtMs + resetMs;
    const look = this.#look;
    const ms = look === null ? Infinity : sentAtMs - look.sentAtMs;
    if (ms < 0) return;
    if (look === null || ms >= leastMs) {
      if (look !== null && units < look.units)
        this.#isWindow = Math.abs(resetAtMs - look.resetAtMs) < ms / 2;
      this.#look = { units, sentAtMs, resetAtMs };
    }
    const isBelieved = this.#isWindow && resetAtMs - nowMs < longestMs;
    this.#emptyUntilMs = isBelieved && units - sentSince < 1 ? resetAtMs : -Infinity;
  }
}
