import type { Call, Deferral } from './call.js';
import type { LimiterSettings } from './settings.js';

/** Why no call is sent to an account. */
export type BackoffReason = 'retry-after' | 'refused' | 'quota';

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

/**
 * The waiting calls that cannot be sent before their deadlines, or at all.
 * @param callRate - calls a millisecond that the limits allow. Infinity if no limit is known
 */
export function deferralsOf(
  waiting: readonly Call[],
  { untilMs, reason }: Pick<Backoff, 'untilMs' | 'reason'>,
  callRate: number,
  nowMs: number,
): readonly Deferral[] {
  if (reason === 'quota' && untilMs > nowMs)
    return waiting.map((call) => ({ call, reason: 'quota', retryAfterMs: null }));
  const retryAfterMs = Math.ceil(Math.max(untilMs - nowMs, waiting.length / callRate, 1000));
  return waiting
    .filter(({ deadlineMs }) => deadlineMs <= nowMs || deadlineMs < untilMs)
    .map((call) => ({ call, reason: 'rate-limit', retryAfterMs }));
}
