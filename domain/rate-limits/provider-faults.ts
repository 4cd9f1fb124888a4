import type { LimiterSettings } from './settings.js';

/** More spurious 429s than this say nothing more about an account. */
const mostRemembered = 6;

/**
 * Tells spurious 429s, which overloaded providers scatter over calls at any pace, from those of a limit: they come one at
 * a time, at a pace that was accepted before. A pace that is cut for each of them never recovers.
 */
export class Spurious429s {
  readonly #settings: LimiterSettings;
  #lately = 0;
  #remembered = 0;
  #knowsOthers = false;

  constructor(settings: LimiterSettings) {
    this.#settings = settings;
  }

  /** How many single ones are remembered. Null before the worker has heard what the others remember. */
  get remembered(): number | null {
    return this.#knowsOthers ? this.#remembered : null;
  }

  /** What the other workers remember counts once, when the worker is new. */
  learn(remembered: number | null): void {
    if (this.#knowsOthers || remembered === null) return;
    this.#knowsOthers = true;
    this.#remembered = Math.max(this.#remembered, remembered);
  }

  recordCall(): void {
    this.#lately = Math.max(0, this.#lately - this.#bounds.forgotten);
    this.#remembered = Math.max(0, this.#remembered - 1 / this.#settings.callsASpurious);
  }

  /**
   * Whether a 429 is spurious.
   * @param isPaceAccepted - whether nothing known of the limit speaks against the pace
   */
  isSpurious(isPaceAccepted: boolean): boolean {
    const isSingle = this.#lately === 0;
    this.#lately += 1;
    if (this.#lately > this.#bounds.together) {
      // The next cut needs reasons of its own.
      this.#lately = 0;
      this.#remembered = 0;
      return false;
    }
    const remembered = Math.min(this.#remembered + (isSingle ? 1 : 0), mostRemembered);
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

/** Whether a provider fails more calls than usual. It says nothing about limits then, and the pace does not grow. */
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
