import type { Call, Deferral } from './call.js';
import type { LimiterSettings } from './settings.js';

/** Why nothing at all is sent to an account. */
export type BackoffReason = 'retry-after' | 'refused' | 'quota';

/** A call that was not refused for so long counts as accepted, whether or not its reply has come. */
const probeMs = 1000;
/** After so long a call is sent to find out whether there is credit again. */
const quotaPauseMs = 15_000;

/**
 * The times in which nothing is sent: the provider asked for it, has no credit for the account, or refuses every call.
 * In the last case one call is sent after each pause.
 */
export class Backoff {
  readonly #settings: LimiterSettings;
  #untilMs = -Infinity;
  #reason: BackoffReason = 'refused';
  /** How many calls were refused one after the other, each after a pause. */
  #refusals = 0;
  #probedAtMs: number | null = null;

  constructor(settings: LimiterSettings) {
    this.#settings = settings;
  }

  /** Nothing is sent before. In the past where calls may be sent. */
  get untilMs(): number {
    return this.#untilMs;
  }

  get reason(): BackoffReason {
    return this.#reason;
  }

  /** Whether every call since the last cut was refused. */
  get isClosed(): boolean {
    return this.#refusals > 0;
  }

  /** The provider asked to send nothing before `untilMs`. */
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
    // Another call may have been asked to wait for longer.
    const askedMs = this.#reason === 'retry-after' ? this.#untilMs : -Infinity;
    this.#untilMs = Math.max(nowMs + (retryAfterMs ?? pauseMs), askedMs);
    this.#reason = retryAfterMs === undefined && askedMs <= nowMs ? 'refused' : 'retry-after';
  }

  /** One call is sent while the account is closed. The others wait for its end. */
  probe(nowMs: number): void {
    this.#probedAtMs = nowMs;
    this.#untilMs = nowMs + probeMs;
    this.#reason = 'refused';
  }

  /** Calls are accepted again. Returns the time at which the accepted one was sent. */
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
 * @param callRate - calls a millisecond that the limits leave room for. Infinity where none is known
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
