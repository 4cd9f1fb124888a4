import type { RunSnapshot } from './run-snapshot.js';

/** Of its time it spends so much on looking when nobody asks: one part in so many. */
const restTimes = 20;
const leastRestMs = 3_000;

/** The latest look at a run, made anew now and then until the run has ended or cannot be looked at. */
export class KeptSnapshot {
  #latest: RunSnapshot | null = null;
  #now: Promise<RunSnapshot> | null = null;
  #next: NodeJS.Timeout | null = null;
  #isForgotten = false;

  constructor(private readonly lookAnew: () => Promise<RunSnapshot>) {}

  /** Null before the first one, and after the run was changed. */
  get latest(): RunSnapshot | null {
    return this.#latest;
  }

  /** A new look, or the one that is being made. */
  look(): Promise<RunSnapshot> {
    if (this.#now) return this.#now;
    const begun = Date.now();
    const now = this.lookAnew();
    this.#now = now;
    now.then(
      (seen) => {
        if (this.#now === now) this.#noteSeen(seen, Date.now() - begun);
      },
      () => {
        // Whoever waits for it is told, and nobody else asks.
        if (this.#now === now) this.#now = null;
      },
    );
    return now;
  }

  #noteSeen(seen: RunSnapshot, tookMs: number): void {
    this.#now = null;
    this.#latest = seen;
    if (seen.manifest.status === 'running') {
      this.#lookLater(Math.max(leastRestMs, restTimes * tookMs));
    }
  }

  /** The run was begun or changed: what was seen before is not to be told any more. It is looked at again before long. */
  outdate(): void {
    this.#latest = null;
    this.#now = null;
    this.#lookLater(leastRestMs);
  }

  #lookLater(afterMs: number): void {
    if (this.#next) clearTimeout(this.#next);
    if (this.#isForgotten) return;
    this.#next = setTimeout(() => {
      this.look().catch(() => undefined);
    }, afterMs).unref();
  }

  /** Nobody will ask for it: it is not made again. */
  forget(): void {
    this.#isForgotten = true;
    if (this.#next) clearTimeout(this.#next);
  }
}
