/** Why a call was refused: for no reason that has to do with the pace, because of a limit perhaps, or surely. */
export type Suspicion = 'stray' | 'limit' | 'surely limit';

/** So many that came alone, less one for each `callsAStray` calls, show an account that has strays. */
const enough = 3;
/** More of them say no more. */
const mostSeen = 6;
/** Workers that look for more cost each other a call now and then, yet fewer than one in so many. */
const callsAStray = 160;
/** How many refusals may come together, and what part of one is forgotten with each call that is sent. */
const usual = { most: 2, forgotten: 0.05 };
const amongStrays = { most: 3, forgotten: 0.1 };

/**
 * Tells refusals that have nothing to do with the pace of calls, as overloaded providers scatter them, from those of a
 * limit: they come one at a time, at a pace that nothing speaks against. To slow down for each of them would never end.
 */
export class Strays {
  #lately = 0;
  #seen = 0;
  #hasHeard = false;

  /** How many that came alone are remembered; null before it has heard what others have seen. */
  get known(): number | null {
    return this.#hasHeard ? this.#seen : null;
  }

  /** What others have seen: it counts once, for one who has only just come. @param seen - no number where nobody says */
  hear(seen: number | null | undefined): void {
    if (this.#hasHeard || typeof seen !== 'number') return;
    this.#hasHeard = true;
    this.#seen = Math.max(this.#seen, seen);
  }

  /** A call is sent. */
  send(): void {
    this.#lately = Math.max(0, this.#lately - this.#bounds.forgotten);
    this.#seen = Math.max(0, this.#seen - 1 / callsAStray);
  }

  /** A call was refused. @param isUnsuspected - no limit is known that its pace could exceed */
  refuse(isUnsuspected: boolean): Suspicion {
    const isAlone = this.#lately === 0;
    this.#lately += 1;
    if (this.#lately > this.#bounds.most) {
      // The next cut needs reasons of its own.
      this.#lately = 0;
      this.#seen = 0;
      return 'surely limit';
    }
    const seen = Math.min(this.#seen + (isAlone ? 1 : 0), mostSeen);
    if (!isUnsuspected && seen < enough) return 'limit';
    this.#seen = seen;
    return 'stray';
  }

  get #hasStrays(): boolean {
    return this.#seen >= enough;
  }

  get #bounds(): typeof usual {
    return this.#hasStrays ? amongStrays : usual;
  }
}
