import type { Evidence, KnownLimit, LimitShare } from './account-report.js';
import type { LimiterSettings } from './settings.js';

const minuteMs = 60_000;
/** The lowest rate: one call an hour. */
const slowestCallMs = 3_600_000;
/** The weight of the latest call in the average size of calls. */
const latestCallWeight = 0.05;

/** The units that were sent and not refused until a moment. */
interface Mark {
  readonly atMs: number;
  readonly units: number;
}

/**
 * Paces calls under one limit, of requests or of tokens.
 *
 * The limit is unknown until a call is refused. A refusal means that the provider's allowance is used up. Between two
 * refusals the provider accepts exactly what its limit allows, so the rate between them is the estimate. The pace then
 * grows slowly until the next refusal. If the time between two refusals is too short to measure, the pace is cut to a
 * guess, which grows at once. The pace never exceeds the limit that the provider advertises.
 */
export class Pace {
  readonly #settings: LimiterSettings;
  /** All rates are in units a millisecond. Null before the first refusal. */
  #estimate: number | null = null;
  #isGuess = false;
  /** The latest measured rate of accepted calls. 0 if there is none. */
  #acceptedRate = 0;
  #probingSeconds = 0;
  #advertised = Infinity;
  /** This worker's share of the advertised limit. */
  #advertisedShare = Infinity;
  #nextAtMs = -Infinity;
  #unitsACall = 1;
  /** Units that were sent and not refused. */
  #units = 0;
  /** When the provider's allowance was used up last. */
  #usedUp: Mark | null = null;
  /** The latest two marks that are at least a second apart, the latest first. */
  #seconds: readonly [Mark, Mark];

  constructor(startMs: number, settings: LimiterSettings) {
    const start = { atMs: startMs, units: 0 };
    this.#seconds = [start, start];
    this.#settings = settings;
  }

  /** Units a millisecond that may be sent now. Infinity if no limit is known. */
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

  /** Whether the provider has accepted a higher rate than the present one. */
  get isAccepted(): boolean {
    return this.rate < this.#settings.trustAccepted * this.#acceptedRate;
  }

  /** When the next call may be sent. */
  get readyAtMs(): number {
    return this.#nextAtMs - this.#settings.slackMs;
  }

  /** @param atMost - another bound of the rate, in units a millisecond */
  recordCall(units: number, nowMs: number, atMost = Infinity): void {
    this.#unitsACall =
      this.#units === 0
        ? units
        : (1 - latestCallWeight) * this.#unitsACall + latestCallWeight * units;
    this.#count(units, nowMs);
    const fromMs = Math.max(this.#nextAtMs, nowMs - this.#settings.slackMs);
    this.#nextAtMs = fromMs + units / Math.min(this.rate, atMost);
  }

  /** @param units - how much more the accepted call used than its estimate; negative if it used less */
  correct(units: number, nowMs: number): void {
    this.#count(units, nowMs);
    this.#nextAtMs += units / this.rate;
  }

  /** A refused call used nothing. */
  takeBack(units: number, nowMs: number): void {
    this.#count(-units, nowMs);
  }

  /** Calls waited for this pace. */
  recordWait(ms: number): void {
    this.#probingSeconds += ms / 1000;
  }

  /**
   * Cuts the pace, after the first refusal since the latest cut.
   * @param backMs - when calls are sent again
   * @param perMinute - the limit that the refusal states. It bounds the new estimate only: the limit may rise later.
   */
  slowDown(nowMs: number, backMs: number, perMinute = Infinity): void {
    const { raisedFactor, firstCut, cut, targetShare } = this.#settings;
    const { restCalls, longestRestMs } = this.#settings;
    const before = this.rate;
    const accepted = this.#acceptedSince(this.#usedUp, backMs);
    if (this.#estimate === null) {
      const recent = Math.max(this.#recentRate(nowMs), this.#unitsACall / 1000);
      this.#set(firstCut * Math.min(before, recent), true);
    } else if (accepted === null || (!this.#isGuess && before > raisedFactor * this.#estimate)) {
      this.#set(cut * before, true);
    } else {
      this.#set(targetShare * accepted, false);
      this.#acceptedRate = accepted;
    }
    this.#estimate = Math.min(this.#estimate ?? Infinity, (targetShare * perMinute) / minuteMs);
    this.#usedUp = { atMs: backMs, units: this.#units };
    const restMs = Math.min((restCalls * this.#unitsACall) / this.rate, longestRestMs);
    this.#nextAtMs = Math.max(this.#nextAtMs, nowMs + this.#settings.slackMs) + restMs;
  }

  /** The provider accepts calls again since `backMs`, after it had refused all of them. */
  resume(backMs: number): void {
    if (this.#usedUp !== null) this.#usedUp = { ...this.#usedUp, atMs: backMs };
  }

  /** The provider advertises its limit, in units a minute. */
  advertise(perMinute: number): void {
    this.#advertised = perMinute / minuteMs;
  }

  /** Applies this worker's share of the limit. */
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

  /** Units a millisecond between the mark and `backMs`. Null if the time is too short to measure. */
  #acceptedSince(mark: Mark | null, backMs: number): number | null {
    if (mark === null) return null;
    const { measuredMs, measuredCalls } = this.#settings;
    const ms = backMs - mark.atMs;
    const units = this.#units - mark.units;
    return ms >= measuredMs && units >= measuredCalls * this.#unitsACall ? units / ms : null;
  }

  #recentRate(nowMs: number): number {
    this.#count(0, nowMs);
    const [, { atMs, units }] = this.#seconds;
    return (this.#units - units) / Math.max(nowMs - atMs, 1000);
  }

  #count(units: number, nowMs: number): void {
    const [last] = this.#seconds;
    if (nowMs - last.atMs >= 1000) this.#seconds = [{ atMs: nowMs, units: this.#units }, last];
    this.#units += units;
  }

  /** The estimate after its growth by probing. */
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
