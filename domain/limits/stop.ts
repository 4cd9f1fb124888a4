/** Why nothing at all is sent to an account. */
export type StopReason = 'retry-after' | 'refused' | 'quota';

const firstPauseMs = 1000;
const usualPauseMs = 8000;
const longestPauseMs = 60_000;
/** A call that is not refused for so long has been accepted, whether or not its reply has come. */
const probeMs = 1000;
/** Calls that are on their way when the quota runs out need not all be tried. */
const quotaPauseMs = 15_000;

/**
 * When nothing is sent: because the provider asked for it, or because it refuses everything, where one call is tried
 * after each of ever longer pauses.
 */
export class Stop {
  #untilMs = -Infinity;
  #reason: StopReason = 'refused';
  /** Refused without exception. */
  #closed: { readonly times: number; readonly sinceMs: number } | null = null;
  #probedAtMs: number | null = null;

  /** Until when nothing may be sent; in the past where something may. */
  get untilMs(): number {
    return this.#untilMs;
  }

  get reason(): StopReason {
    return this.#reason;
  }

  /** Everything since the last cut was refused. */
  get isClosed(): boolean {
    return this.#closed !== null;
  }

  /** The provider asks for it, or another worker was asked. */
  asked(untilMs: number): void {
    if (untilMs <= this.#untilMs) return;
    this.#untilMs = untilMs;
    this.#reason = 'retry-after';
  }

  refusedAgain(nowMs: number, retryAfterMs: number | undefined): void {
    const { times, sinceMs } = this.#closed ?? { times: 0, sinceMs: nowMs };
    const growingMs = Math.min(firstPauseMs * 2 ** times, usualPauseMs);
    const pauseMs = Math.min(Math.max(growingMs, (nowMs - sinceMs) / 4), longestPauseMs);
    this.#closed = { times: times + 1, sinceMs };
    this.#probedAtMs = null;
    // Longer where another call was told so.
    const askedMs = this.#reason === 'retry-after' ? this.#untilMs : -Infinity;
    this.#untilMs = Math.max(nowMs + (retryAfterMs ?? pauseMs), askedMs);
    this.#reason = retryAfterMs === undefined && askedMs <= nowMs ? 'refused' : 'retry-after';
  }

  /** A call is sent although nothing was accepted lately: the others wait for what becomes of it. */
  probe(nowMs: number): void {
    this.#probedAtMs = nowMs;
    this.#untilMs = nowMs + probeMs;
    this.#reason = 'refused';
  }

  /** Calls are accepted again: since when. */
  open(): number | null {
    const sinceMs = this.#probedAtMs;
    this.#closed = null;
    this.#probedAtMs = null;
    this.#untilMs = -Infinity;
    return sinceMs;
  }

  quotaSpent(nowMs: number): void {
    this.#untilMs = nowMs + quotaPauseMs;
    this.#reason = 'quota';
  }
}
