import type { RunSnapshot } from './run-snapshot.js';

/** The cache waits 20 times as long as a snapshot took: refreshing takes about 5 % of the time. */
const restFactor = 20;
const leastRestMs = 3_000;
/** However long a snapshot takes, a later one is there before this one is too old to be returned. */
const mostRestMs = 30_000;

/** The latest snapshot of a run. The cache refreshes it until the run has ended or a snapshot fails. */
export class SnapshotCache {
  #latest: RunSnapshot | null = null;
  #pending: Promise<RunSnapshot> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(private readonly takeSnapshot: () => Promise<RunSnapshot>) {}

  /** Null before the first snapshot, and after `invalidate`. */
  get latest(): RunSnapshot | null {
    return this.#latest;
  }

  /** A new snapshot, or the one that is being taken. */
  refresh(): Promise<RunSnapshot> {
    if (this.#pending) return this.#pending;
    const startedAtMs = Date.now();
    const pending = this.takeSnapshot();
    this.#pending = pending;
    pending.then(
      (snapshot) => {
        if (this.#pending === pending) this.#store(snapshot, Date.now() - startedAtMs);
      },
      () => {
        // Each caller gets the error from `pending`; the next caller takes a new snapshot.
        if (this.#pending === pending) this.#pending = null;
      },
    );
    return pending;
  }

  #store(snapshot: RunSnapshot, tookMs: number): void {
    this.#pending = null;
    this.#latest = snapshot;
    if (snapshot.stored?.manifest.status === 'running') {
      const restMs = Math.max(leastRestMs, restFactor * tookMs);
      this.#refreshAfter(Math.min(restMs, mostRestMs));
    }
  }

  /** The run was started or changed: earlier snapshots are not used any more. */
  invalidate(): void {
    this.#latest = null;
    this.#pending = null;
    this.#refreshAfter(leastRestMs);
  }

  #refreshAfter(delayMs: number): void {
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.refresh().catch(() => undefined);
    }, delayMs).unref();
  }

  /** Stops refreshing. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
  }
}
