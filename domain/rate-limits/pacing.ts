import type { Evidence, KnownLimit, LimitShare } from './account-report.js';
import type { LimiterSettings } from './settings.js';

const minuteMs = 60_000;
/** A pace is at least one call an hour. */
const slowestCallMs = 3_600_000;
/** The weight of the latest call in the average size of calls. */
const latestCallWeight = 0.05;

/** What was sent and not refused until a moment. */
interface Mark {
  readonly atMs: number;
  readonly units: number;
}

/**
 * The pace of calls under one limit, in requests or in tokens. The limit is unknown until calls are refused. Between two
 * moments at which the provider's allowance was used up, exactly what the limit allows was accepted: this rate is the
 * estimate. After a while the pace grows, until calls are refused again. Where a refusal cannot be measured, the pace is
 * cut to a guess, which grows at once. It is never above what the provider states.
 */
export class Pace {
  readonly #settings: LimiterSettings;
  /** All rates are in units a millisecond. Null before the first refusal. */
  #estimate: number | null = null;
  #isGuess = false;
  /** The rate that was accepted when it was measured last. 0 where it is unknown. */
  #acceptedRate = 0;
  #probingSeconds = 0;
  #advertised = Infinity;
  /** The worker's share of it. */
  #advertisedShare = Infinity;
  #nextAtMs = -Infinity;
  #unitsACall = 1;
  /** Units that were sent and not refused. */
  #units = 0;
  /** When the allowance was used up last. */
  #usedUp: Mark | null = null;
  /** The latest two marks that are at least a second apart, the later one first. */
  #seconds: readonly [Mark, Mark];

  constructor(startMs: number, settings: LimiterSettings) {
    const start = { atMs: startMs, units: 0 };
    this.#seconds = [start, start];
    this.#settings = settings;
  }

  /** Units a millisecond that may be sent now. Infinity where no limit is known. */
  get rate(): number {
    return Math.min(this.#grown, this.#advertised, this.#advertisedShare);
  }

  get callRate(): number {
    return this.rate / this.#unitsACall;
  }

  get known(): KnownLimit {
    return {
      advertised: Number.isFinite(this.#advertised) ? this.#advertised * minuteMs : null,
      estimated: this.#estimate === null ? null : this.#estimate * minuteMs,
      evidence: {
        isGuess: this.#isGuess,
        probingSeconds: this.#probingSeconds,
        acceptedRatio: this.#estimate === null ? 0 : this.#acceptedRate / this.#estimate,
      },
    };
  }

  /** Whether the provider has accepted a higher rate. */
  get isAccepted(): boolean {
    return this.rate < this.#settings.trustAccepted * this.#acceptedRate;
  }

  /** The next call may be sent from then on. */
  get readyAtMs(): number {
    return this.#nextAtMs - this.#settings.slackMs;
  }

  /** @param atMost - bounds the rate besides, in units a millisecond */
  recordCall(units: number, nowMs: number, atMost = Infinity): void {
    this.#unitsACall =
      this.#units === 0
        ? units
        : (1 - latestCallWeight) * this.#unitsACall + latestCallWeight * units;
    this.#count(units, nowMs);
    const fromMs = Math.max(this.#nextAtMs, nowMs - this.#settings.slackMs);
    this.#nextAtMs = fromMs + units / Math.min(this.rate, atMost);
  }

  /** An accepted call took so many units more than it was charged with. Negative where it took fewer. */
  correct(units: number, nowMs: number): void {
    this.#count(units, nowMs);
    this.#nextAtMs += units / this.rate;
  }

  /** A refused call took nothing. */
  takeBack(units: number, nowMs: number): void {
    this.#count(-units, nowMs);
  }

  /** Calls waited for this pace. */
  recordWait(ms: number): void {
    this.#probingSeconds += ms / 1000;
  }

  /**
   * A call was refused because of this limit, for the first time since the last cut.
   * @param backMs - when calls are sent again
   */
  slowDown(nowMs: number, backMs: number): void {
    const { raisedFactor, firstCut, cut, targetShare } = this.#settings;
    const { restCalls, longestRestMs } = this.#settings;
    const before = this.rate;
    const accepted = this.#acceptedSince(this.#usedUp, backMs);
    if (this.#estimate === null) {
      const lately = Math.max(this.#acceptedLately(nowMs), this.#unitsACall / 1000);
      this.#set(firstCut * Math.min(before, lately), true);
    } else if (accepted === null || (!this.#isGuess && before > raisedFactor * this.#estimate)) {
      this.#set(cut * before, true);
    } else {
      this.#set(targetShare * accepted, false);
      this.#acceptedRate = accepted;
    }
    this.#usedUp = { atMs: backMs, units: this.#units };
    const restMs = Math.min((restCalls * this.#unitsACall) / this.rate, longestRestMs);
    this.#nextAtMs = Math.max(this.#nextAtMs, nowMs + this.#settings.slackMs) + restMs;
  }

  /** After a time in which every call was refused, the provider accepts calls since `backMs`. */
  resume(backMs: number): void {
    if (this.#usedUp !== null) this.#usedUp = { ...this.#usedUp, atMs: backMs };
  }

  /** The provider states its limit, in units a minute. */
  advertise(perMinute: number): void {
    this.#advertised = perMinute / minuteMs;
  }

  /** Applies what this worker may use of the limit that all workers share. */
  applyShare({ advertised, estimated, evidence }: LimitShare, nowMs: number): void {
    this.#advertisedShare = advertised === null ? Infinity : advertised / minuteMs;
    if (estimated === null) return;
    const share = estimated / minuteMs;
    if (evidence !== undefined) this.#takeOver(evidence, share, nowMs);
    else if (this.#estimate !== null) this.#acceptedRate *= share / this.#estimate;
    this.#estimate = share;
  }

  #takeOver(evidence: Evidence, share: number, nowMs: number): void {
    this.#isGuess = evidence.isGuess;
    this.#probingSeconds = evidence.probingSeconds;
    this.#acceptedRate = evidence.acceptedRatio * share;
    this.#usedUp = { atMs: nowMs, units: this.#units };
  }

  /** Units a millisecond until `backMs`. Null where that is too short to measure. */
  #acceptedSince(mark: Mark | null, backMs: number): number | null {
    if (mark === null) return null;
    const { measuredMs, measuredCalls } = this.#settings;
    const ms = backMs - mark.atMs;
    const units = this.#units - mark.units;
    return ms >= measuredMs && units >= measuredCalls * this.#unitsACall ? units / ms : null;
  }

  #acceptedLately(nowMs: number): number {
    this.#count(0, nowMs);
    const [, { atMs, units }] = this.#seconds;
    return (this.#units - units) / Math.max(nowMs - atMs, 1000);
  }

  #count(units: number, nowMs: number): void {
    const [last] = this.#seconds;
    if (nowMs - last.atMs >= 1000) this.#seconds = [{ atMs: nowMs, units: this.#units }, last];
    this.#units += units;
  }

  /** The estimate with what probing has added. */
  get #grown(): number {
    if (this.#estimate === null) return Infinity;
    const { guessGrowth, doublingSeconds, doublingPower } = this.#settings;
    const growth = this.#isGuess
      ? (1 + guessGrowth) ** this.#probingSeconds
      : 1 + (this.#probingSeconds / doublingSeconds) ** doublingPower;
    return this.#estimate * growth;
  }

  #set(estimate: number, isGuess: boolean): void {
    this.#estimate = Math.max(estimate, this.#unitsACall / slowestCallMs);
    this.#isGuess = isGuess;
    this.#probingSeconds = 0;
  }
}
