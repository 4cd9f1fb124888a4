interface Mark {
  readonly atMs: number;
  readonly units: number;
  readonly pressedMs: number;
}

/** What was accepted since a mark. */
export interface Seen {
  /** Units a millisecond. */
  readonly rate: number;
  /** The share of that time in which calls waited, so that more would have been sent had more been allowed. */
  readonly pressed: number;
}

const mostMarks = 20;

/** Counts what was sent and not refused, in calls or in tokens, from marks at which the provider's allowance was used up. */
export class Meter {
  #units = 0;
  #pressedMs = 0;
  #marks: readonly Mark[] = [];
  /** The last two turns of a second, the later one first. */
  #seconds: readonly [Mark, Mark];

  constructor(startMs: number) {
    const start = { atMs: startMs, units: 0, pressedMs: 0 };
    this.#seconds = [start, start];
  }

  /** @param units - negative to take back what was refused, or charged and not used */
  add(units: number, nowMs: number): void {
    this.#turn(nowMs);
    this.#units += units;
  }

  /** Calls waited that long. */
  press(ms: number): void {
    this.#pressedMs += ms;
  }

  /** The allowance is used up now, and comes back at `backMs`. */
  mark(nowMs: number, backMs: number): void {
    const pressedMs = this.#pressedMs + (backMs - nowMs);
    const mark = { atMs: backMs, units: this.#units, pressedMs };
    this.#marks = [...this.#marks.slice(1 - mostMarks), mark];
  }

  /** What was accepted before now is no measure. */
  forget(): void {
    this.#marks = [];
  }

  /** The allowance came back later than the latest mark says. */
  moveMark(backMs: number): void {
    const mark = this.#marks.at(-1);
    if (mark === undefined) return;
    const pressedMs = mark.pressedMs + (backMs - mark.atMs);
    this.#marks = this.#marks.with(-1, { ...mark, atMs: backMs, pressedMs });
  }

  /**
   * What was accepted from the latest mark that is far enough back until the allowance comes back at `backMs`: where
   * calls waited all that time, this is the provider's limit. Null where no mark is there.
   * @param skip - so many marks, from the latest
   */
  since(
    nowMs: number,
    backMs: number,
    least: { readonly ms: number; readonly units: number; readonly skip: number },
  ): Seen | null {
    const mark = this.#marks
      .slice(0, this.#marks.length - least.skip)
      .findLast(
        ({ atMs, units }) => backMs - atMs >= least.ms && this.#units - units >= least.units,
      );
    if (mark === undefined) return null;
    const ms = backMs - mark.atMs;
    const pressedMs = this.#pressedMs + (backMs - nowMs) - mark.pressedMs;
    return { rate: (this.#units - mark.units) / ms, pressed: pressedMs / ms };
  }

  /** Units a millisecond over the last second or two. */
  lately(nowMs: number): number {
    this.#turn(nowMs);
    const [, { atMs, units }] = this.#seconds;
    return (this.#units - units) / Math.max(nowMs - atMs, 1000);
  }

  #turn(nowMs: number): void {
    const [last] = this.#seconds;
    if (nowMs - last.atMs < 1000) return;
    this.#seconds = [{ atMs: nowMs, units: this.#units, pressedMs: this.#pressedMs }, last];
  }
}
