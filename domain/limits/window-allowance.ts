/** What a provider said of one limit in the reply to a call. */
export interface Remaining {
  /** Units left when that call had been charged. */
  readonly units: number;
  /** Sent since that call, in the same unit. */
  readonly sentSince: number;
  readonly sentAtMs: number;
  /** When all is there again, by its own account. */
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
  #look: Remaining | null = null;
  /** Nothing remains until then. */
  #emptyUntilMs = -Infinity;

  get readyAtMs(): number {
    return this.#emptyUntilMs;
  }

  learn(remaining: Remaining, nowMs: number): void {
    const { units, sentSince, sentAtMs, resetAtMs } = remaining;
    const look = this.#look;
    const ms = look === null ? Infinity : sentAtMs - look.sentAtMs;
    if (ms < 0) return;
    if (look === null || ms >= leastMs) {
      if (look !== null && units < look.units)
        this.#isWindow = Math.abs(resetAtMs - look.resetAtMs) < ms / 2;
      this.#look = remaining;
    }
    const isBelieved = this.#isWindow && resetAtMs - nowMs < longestMs;
    this.#emptyUntilMs = isBelieved && units - sentSince < 1 ? resetAtMs : -Infinity;
  }
}
