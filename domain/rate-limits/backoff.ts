import type { LimiterSettings } from './settings.js';

/** Why no call is sent to an account. */
type BackoffReason = 'retry-after' | 'refused' | 'quota';

/** A call that is not refused within this time counts as accepted, as replies may take much longer. */
const probeMs = 1000;
/** The interval of calls that test whether the account has credit again. */
const quotaPauseMs = 15_000;

/**
 * The pauses in which no call is sent: the provider asked for one, the account has no credit, or the provider refuses every
 * call. In the last case one call is sent after each pause.
 */
export class Backoff {
  readonly #settings: LimiterSettings;
  #untilMs = -Infinity;
  #reason: BackoffReason = 'refused';
  /** How many calls in a row were refused, each after a pause. */
  #refusals = 0;
  #probedAtMs: number | null = null;

  constructor(settings: LimiterSettings) {
    this.#settings = settings;
  }

  /** The end of the pause. In the past if calls may be sent. */
  get untilMs(): number {
    return this.#untilMs;
  }

  get reason(): BackoffReason {
    return this.#reason;
  }

  /** The rest of a pause that the provider asked for, in milliseconds. */
  retryAfterMs(nowMs: number): number {
    return this.#reason === 'retry-after' ? Math.max(0, this.#untilMs - nowMs) : 0;
  }

  /** Whether every call since the latest cut was refused. */
  get isClosed(): boolean {
    return this.#refusals > 0;
  }

  /** The provider asked for a pause. */
  pauseUntil(untilMs: number): void {
    if (untilMs <= this.#untilMs) return;
    this.#untilMs = untilMs;
    this.#reason = 'retry-after';
  }

  /** The first call after a cut or a pause was refused. */
  close(nowMs: number, retryAfterMs: number | undefined): void {
    const { firstPauseMs, longestPauseMs } = this.#settings;
    const pauseMs = Math.min(firstPauseMs * 2 ** this.#refusals, longestPauseMs);
    this.#refusals += 1;
    this.#probedAtMs = null;
    // The reply to another call may have asked for a longer pause.
    const askedMs = this.#reason === 'retry-after' ? this.#untilMs : -Infinity;
    this.#untilMs = Math.max(nowMs + (retryAfterMs ?? pauseMs), askedMs);
    this.#reason = retryAfterMs === undefined && askedMs <= nowMs ? 'refused' : 'retry-after';
  }

  /** One call is sent after a pause. The others wait for its end. */
  probe(nowMs: number): void {
    this.#probedAtMs = nowMs;
    this.#untilMs = nowMs + probeMs;
    this.#reason = 'refused';
  }

  /** Calls are accepted again. Returns the time when the accepted one was sent. */
  open(): number | null {
    const sinceMs = this.#probedAtMs;
    this.#refusals = 0;
    this.#probedAtMs = null;
    this.#untilMs = -Infinity;
    return sinceMs;
  }

  recordQuotaSpent(nowMs: number): void {
    this.#untilMs = nowMs + quotaPauseMs;
    this.#reason = 'quota';
  }
}

/** The cap on the number of remembered spurious 429s. */
const maxRemembered = 6;

/**
 * Tells spurious 429s from those of a limit. Overloaded providers return spurious ones at any pace: one at a time, also at a
 * pace that was accepted before. Without this test, the pace would be cut for each of them and never recover.
 */
export class Spurious429s {
  readonly #settings: LimiterSettings;
  /** The number of recent 429s. Decreases with each call. */
  #recent = 0;
  #remembered = 0;
  #knowsOthers = false;

  constructor(settings: LimiterSettings) {
    this.#settings = settings;
  }

  /** How many isolated 429s are remembered. Null until `learn` has been called with a number. */
  get remembered(): number | null {
    return this.#knowsOthers ? this.#remembered : null;
  }

  /** Takes over the number of the other workers, once. */
  learn(remembered: number | null): void {
    if (this.#knowsOthers || remembered === null) return;
    this.#knowsOthers = true;
    this.#remembered = Math.max(this.#remembered, remembered);
  }

  recordCall(): void {
    this.#recent = Math.max(0, this.#recent - this.#bounds.forgotten);
    this.#remembered = Math.max(0, this.#remembered - 1 / this.#settings.callsASpurious);
  }

  /**
   * Whether a 429 is spurious.
   * @param isPaceAccepted - whether the pace is below a rate that was accepted before, or no limit is known
   */
  isSpurious(isPaceAccepted: boolean): boolean {
    const isIsolated = this.#recent === 0;
    this.#recent += 1;
    if (this.#recent > this.#bounds.together) {
      // The 429s that have led to this cut do not count for the next one.
      this.#recent = 0;
      this.#remembered = 0;
      return false;
    }
    const remembered = Math.min(this.#remembered + (isIsolated ? 1 : 0), maxRemembered);
    if (!isPaceAccepted && remembered < this.#settings.spuriousToKnow) return false;
    this.#remembered = remembered;
    return true;
  }

  get #bounds(): { readonly together: number; readonly forgotten: number } {
    const settings = this.#settings;
    return this.#remembered >= settings.spuriousToKnow
      ? { together: settings.knownSpuriousTogether, forgotten: settings.knownSpuriousForgotten }
      : { together: settings.spuriousTogether, forgotten: settings.spuriousForgotten };
  }
}

/** The weight of the latest call in the share of server errors. */
const latestCallWeight = 0.05;

/** Whether more calls than usual fail with server errors. The replies then say nothing about limits, so the pace does not grow. */
export class ServerErrors {
  readonly #settings: LimiterSettings;
  #share = 0;
  #untilMs = -Infinity;

  constructor(settings: LimiterSettings) {
    this.#settings = settings;
  }

  recordAccepted(): void {
    this.#share *= 1 - latestCallWeight;
  }

  recordFailed(nowMs: number): void {
    this.#share += latestCallWeight * (1 - this.#share);
    const { usualErrorShare, serverErrorMs } = this.#settings;
    if (this.#share > usualErrorShare) this.#untilMs = nowMs + serverErrorMs;
  }

  areMany(nowMs: number): boolean {
    return nowMs < this.#untilMs;
  }
}
