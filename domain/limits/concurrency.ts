/** Calls in flight before anything is known. */
const atFirst = 4;
const cut = 0.7;
/** What is not refused for so long has been accepted, however long the reply takes. */
const longestRoundMs = 4000;

/**
 * How many calls may be in flight: twice as many after each round trip until the first refusal, then one more. It grows
 * only while calls wait for it. Where the limit of a pace is known, it keeps out of its way.
 */
export class Concurrency {
  #most = atFirst;
  #doubles = true;
  /** Of accepted calls, on average; null before the first. */
  #latencyMs: number | null = null;

  /** @param rate - calls a millisecond that a limit allows; Infinity where none is known */
  most(rate: number): number {
    const most = Math.floor(this.#most);
    if (this.#doubles || this.#latencyMs === null || !Number.isFinite(rate)) return most;
    return Math.max(most, Math.ceil(1.5 * rate * this.#latencyMs) + 1);
  }

  /** Calls a millisecond that fill a growing window without a burst. */
  get startingRate(): number {
    return this.#doubles && this.#latencyMs !== null ? (2 * this.#most) / this.#roundMs : Infinity;
  }

  /** How long calls have to wait until one more may be in flight. */
  get nextMs(): number {
    const next = Math.floor(this.#most) + 1;
    return this.#roundMs * (this.#doubles ? Math.log2(next / this.#most) : next - this.#most);
  }

  /** Calls waited for this. */
  press(ms: number): void {
    const rounds = ms / this.#roundMs;
    this.#most = this.#doubles ? this.#most * 2 ** rounds : this.#most + rounds;
  }

  accepted(latencyMs: number): void {
    this.#latencyMs =
      this.#latencyMs === null ? latencyMs : 0.9 * this.#latencyMs + 0.1 * latencyMs;
  }

  slowDown(): void {
    this.#most = Math.max(1, cut * this.#most);
    this.#doubles = false;
  }

  get #roundMs(): number {
    return Math.min(Math.max(this.#latencyMs ?? longestRoundMs, 1), longestRoundMs);
  }
}
