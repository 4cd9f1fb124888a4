/** What a worker that may end when it is idle is asked. */
export interface Busyness {
  /** Whether it does something now. */
  readonly isBusy: () => boolean;
  /** How many tasks it has begun so far. */
  readonly begun: () => number;
  /** How many wait for a worker at the server. */
  readonly backlog: () => Promise<number>;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

const lookEveryMs = 500;

/** Resolves when a worker has had nothing to do for `idleMs`, and nothing waits for it; or when the signal aborts. */
export async function untilIdle(
  { isBusy, begun, backlog, now, pause }: Busyness,
  idleMs: number,
  signal: AbortSignal,
): Promise<void> {
  let seen = begun();
  for (let busyAt = now(); !signal.aborted;) {
    await pause(Math.min(lookEveryMs, idleMs));
    if (isBusy() || begun() !== seen) busyAt = now();
    seen = begun();
    if (now() - busyAt < idleMs) continue;
    // A server that does not answer cannot say that nothing waits.
    if ((await backlog().catch(() => 1)) === 0 && begun() === seen && !isBusy()) return;
    busyAt = now();
  }
}
