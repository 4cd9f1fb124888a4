import type { LimiterSettings } from './settings.js';

/** A call that is not refused within this time counts as accepted, however long its reply takes. */
const longestRoundMs = 4000;
/** A known limit may use this multiple of its rate times the latency, since latencies vary. */
const knownLimitMargin = 1.5;

/**
 * How many calls of runs with automatic concurrency may be in flight. The number doubles with each round trip until the
 * first refusal, and grows by one afterwards, but only while calls wait for it. Once a limit is known, the pace decides.
 */
export class Concurrency {
  #most: number;
  #doubles = true;
  /** The average latency of accepted calls. Null before the first one. */
  #latencyMs: number | null = null;

  constructor(settings: LimiterSettings) {
    this.#most = settings.firstInFlight;
  }

  /** @param rate - calls a millisecond that the limits allow. Infinity if no limit is known */
  most(rate: number): number {
    const most = Math.floor(this.#most);
    if (this.#doubles || this.#latencyMs === null || !Number.isFinite(rate)) return most;
    return Math.max(most, Math.ceil(knownLimitMargin * rate * this.#latencyMs) + 1);
  }

  /** Calls a millisecond, so that the number doubles without a burst. */
  get startingRate(): number {
    return this.#doubles && this.#latencyMs !== null ? (2 * this.#most) / this.#roundMs : Infinity;
  }

  /** How long calls must wait until one more may be sent. */
  get nextMs(): number {
    const next = Math.floor(this.#most) + 1;
    return this.#roundMs * (this.#doubles ? Math.log2(next / this.#most) : next - this.#most);
  }

  /** Calls waited for a place. */
  recordWait(ms: number): void {
    const rounds = ms / this.#roundMs;
    this.#most = this.#doubles ? this.#most * 2 ** rounds : this.#most + rounds;
  }

  recordAccepted(latencyMs: number): void {
    this.#latencyMs =
      this.#latencyMs === null ? latencyMs : 0.9 * this.#latencyMs + 0.1 * latencyMs;
  }

  /** A call was refused because of a limit. */
  slowDown(): void {
    this.#doubles = false;
  }

  get #roundMs(): number {
    return Math.min(Math.max(this.#latencyMs ?? longestRoundMs, 1), longestRoundMs);
  }
}
