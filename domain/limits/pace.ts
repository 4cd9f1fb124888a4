import type { KnownLimit, LimitShare, Standing } from './account-report.js';
import { Meter, type Seen } from './meter.js';

const minuteMs = 60_000;
/** So much closer together than the rate says calls may come, to make up for timers that are late. */
const slackMs = 200;
/** The share of a measured limit that is asked for at first. */
const caution = 0.98;
/** What a refusal leaves of a rate that cannot be measured; the first one comes from a rate that doubles. */
const cut = 0.6;
const firstCut = 0.5;
/** What is measured may be right, and others to blame. */
const gentleCut = 0.75;
/** A refusal so soon after a cut says that the cut was too small. */
const soonMs = 3000;
const soonCalls = 3;
/** The share of the time for which calls must have waited: for a guess, and for a measure. */
const leastPressed = 0.5;
const fullyPressed = 0.9;
/** Over less than this the rate of acceptance is no measure. */
const leastMs = 5000;
const leastCalls = 10;
/** What a measure leaves of a higher one before: measures vary. */
const kept = 0.99;
/** What is taken over from others who do not say more of it. */
const measuredByOthers: Standing = { isGuess: false };
/** The calls left out after a refusal: with nothing in reserve, whatever is larger or early is refused as well. */
const restCalls = 5;
const longestRestMs = 1000;

/**
 * The pace of calls under one limit, in requests or in tokens. The limit is unknown until calls are refused; then it is
 * measured: between two moments at which the allowance was used up, exactly what is allowed was accepted. A little above
 * a measured limit the pace stays for half a minute, then it grows ever faster, until calls are refused again; a pace
 * that was only cut grows steadily until it can be measured. It grows only while calls wait for it. Each cut begins with
 * a short rest. Never above what the provider states. Times are milliseconds of any one clock.
 */
export class Pace {
  readonly #meter: Meter;
  /** Units a millisecond; null before anything was refused. */
  #base: number | null = null;
  #measured = false;
  /** As much was accepted, in units a millisecond; 0 where that is not known. */
  #proven = 0;
  #isInDoubt = false;
  /** How long calls have waited for this pace since `#base` was set: in seconds, or longer where calls are rare. */
  #beats = 0;
  #told = Infinity;
  /** Of what the provider states, where others use it as well. */
  #share = Infinity;
  #nextAtMs = -Infinity;
  #cutAtMs = -Infinity;
  /** The rate before the latest cuts that came one upon the other. */
  #uncut = Infinity;
  /** On average; null before the first call. */
  #unitsACall: number | null = null;

  constructor(startMs: number) {
    this.#meter = new Meter(startMs);
  }

  /** Units a millisecond that may be sent at the moment; Infinity where no limit is known. */
  get rate(): number {
    return Math.min(this.#grown, this.#told, this.#share);
  }

  /** The same in calls. */
  get callRate(): number {
    return this.rate / this.#aCall;
  }

  /** What is known of the limit, without growth. */
  get known(): KnownLimit {
    return {
      told: Number.isFinite(this.#told) ? this.#told * minuteMs : null,
      measured: this.#base === null ? null : this.#base * minuteMs,
      isGuess: this.#base !== null && !this.#measured,
      beats: this.#beats,
      proven: this.#base === null ? 0 : this.#proven / this.#base,
    };
  }

  /** Whether as much was accepted before: a refusal has other reasons then, unless the limit has changed. */
  get isProven(): boolean {
    return this.rate < this.#proven;
  }

  /** From when on the next call may be sent. */
  get readyAtMs(): number {
    return this.#nextAtMs - slackMs;
  }

  /** @param most - units a millisecond, whatever is known here */
  send(units: number, nowMs: number, most = Infinity): void {
    this.#unitsACall = this.#unitsACall === null ? units : 0.95 * this.#unitsACall + 0.05 * units;
    this.#meter.add(units, nowMs);
    const fromMs = Math.max(this.#nextAtMs, nowMs - slackMs);
    this.#nextAtMs = fromMs + units / Math.min(this.rate, most);
  }

  /** A call that was accepted took so many units more than it was charged, or fewer. */
  correct(units: number, nowMs: number): void {
    this.#meter.add(units, nowMs);
    this.#nextAtMs += units / this.rate;
  }

  /** A call was refused: it took nothing. */
  takeBack(units: number, nowMs: number): void {
    this.#meter.add(-units, nowMs);
  }

  /** Calls waited. @param grows - because of this pace, so that it grows */
  press(ms: number, grows: boolean): void {
    this.#meter.press(ms);
    // Each search for more costs a refusal or two: where calls are rare it takes longer.
    if (grows) this.#beats += ms / Math.max(1000, (3 * this.#aCall) / this.#grown);
  }

  /**
   * A call was refused because of this limit, for the first time since the last cut.
   * @param callsSince - sent between the last cut and that call
   * @param backMs - when calls are sent again
   * @param isSure - what was accepted before is accepted no more: the next measure shows what is
   */
  slowDown(callsSince: number, nowMs: number, backMs: number, isSure: boolean): void {
    if (isSure) this.#isInDoubt = true;
    const before = this.rate;
    const soon = callsSince < soonCalls || nowMs - this.#cutAtMs < soonMs;
    const grownFar = this.#base !== null && this.#measured && before > 1.5 * this.#base;
    const seen = this.#seen(nowMs, backMs, 0);
    if (!soon) this.#uncut = before;
    if (this.#base === null) {
      const lately = Math.max(this.#meter.lately(nowMs), this.#aCall / 1000);
      this.#set(firstCut * Math.min(before, lately), false);
    } else if (soon || grownFar || seen === null || seen.pressed < leastPressed) {
      this.#set((soon && this.#measured ? gentleCut : cut) * before, false);
    } else {
      this.#measure(seen, before);
    }
    // Far more than was measured has been accepted: the limit has changed since.
    if (grownFar) this.#meter.forget();
    this.#meter.mark(nowMs, backMs);
    this.#cutAtMs = nowMs;
    const restMs = Math.min((restCalls * this.#aCall) / this.rate, longestRestMs);
    this.#nextAtMs = Math.max(this.#nextAtMs, nowMs + slackMs) + restMs;
  }

  /** After a time in which everything was refused, calls are accepted again since `backMs`. */
  resume(nowMs: number, backMs: number): void {
    const seen = this.#seen(nowMs, backMs, 1);
    if (seen !== null && seen.pressed >= leastPressed) this.#measure(seen, this.#uncut);
    this.#meter.moveMark(backMs);
  }

  /** What the provider states, in units a minute. */
  tell(perMinute: number): void {
    this.#told = perMinute / minuteMs;
  }

  /** What this worker may use of the limit that all workers share; null for as much as it knows of. */
  allot({ told, measured, standing }: LimitShare, nowMs: number): void {
    this.#share = told === null ? Infinity : told / minuteMs;
    if (measured === null) return;
    const base = measured / minuteMs;
    if (this.#base === null || standing !== undefined) {
      const { isGuess, beats = 0 } = standing ?? measuredByOthers;
      this.#measured = !isGuess;
      this.#beats = beats;
      this.#meter.mark(nowMs, nowMs);
    }
    const { proven = 1 } = standing ?? measuredByOthers;
    this.#proven = this.#base === null ? base * proven : this.#proven * (base / this.#base);
    this.#base = base;
  }

  /** While no call waited, less was sent than is allowed. */
  #measure({ rate, pressed }: Seen, most: number): void {
    this.#set(Math.min((caution * rate) / pressed, most), pressed >= fullyPressed);
    this.#proven = Math.max(rate / pressed, this.#isInDoubt ? 0 : kept * this.#proven);
    this.#isInDoubt = false;
  }

  #seen(nowMs: number, backMs: number, skip: number): Seen | null {
    const units = leastCalls * this.#aCall;
    return this.#meter.since(nowMs, backMs, { ms: leastMs, units, skip });
  }

  get #aCall(): number {
    return this.#unitsACall ?? 1;
  }

  get #grown(): number {
    const base = this.#base;
    if (base === null) return Infinity;
    return base * (this.#measured ? 1 + (this.#beats / 60) ** 6 : 1.05 ** this.#beats);
  }

  #set(base: number, measured: boolean): void {
    // Slower than a call an hour is no pace.
    this.#base = Math.max(base, this.#aCall / 3_600_000);
    this.#measured = measured;
    this.#beats = 0;
  }
}
