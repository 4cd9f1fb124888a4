/** Why a call was refused: for no reason that has to do with the pace, because of a limit perhaps, or surely. */
export type Suspicion = 'stray' | 'limit' | 'surely limit';

/** As many refusals at a pace that was allowed, none of a limit between them, show an account that has strays. */
const enough = 3;
/** How many refusals may come together, and what part of one is forgotten with each call that is sent. */
const usual = { most: 2, forgotten: 0.05 };
const amongStrays = { most: 3.5, forgotten: 0.1 };
/** More of them together say no more. */
const most = 5;

/**
 * Tells refusals that have nothing to do with the pace of calls, as overloaded providers scatter them, from those of a
 * limit: they come one at a time, at a pace that was allowed before. To slow down for each of them would never end.
 */
export class Strays {
  #lately = 0;
  #seen = 0;

  /** A call is sent. */
  send(): void {
    this.#lately = Math.max(0, this.#lately - this.#bounds.forgotten);
  }

  /** A call was refused. @param isProven - its pace has been allowed before */
  refuse(isProven: boolean): Suspicion {
    this.#lately = Math.min(this.#lately + 1, most);
    const isSure = this.#lately > this.#bounds.most;
    if (!isSure && (isProven || this.#hasStrays)) {
      if (isProven) this.#seen += 1;
      return 'stray';
    }
    this.#seen = 0;
    return isSure ? 'surely limit' : 'limit';
  }

  get #hasStrays(): boolean {
    return this.#seen >= enough;
  }

  get #bounds(): typeof usual {
    return this.#hasStrays ? amongStrays : usual;
  }
}
