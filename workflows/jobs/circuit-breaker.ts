import { condition } from '@temporalio/workflow';
import { pauseMs } from '../../domain/runs/outages.js';

/** Holds the calls of a job while something outside of them fails, and lets one through from time to time. */
export class CircuitBreaker {
  #outage: { readonly message: string; readonly probes: number; readonly probeAt: number } | null =
    null;
  #isProbing = false;

  /** Why calls are held; null while they are not. */
  get message(): string | null {
    return this.#outage?.message ?? null;
  }

  /** Resolves when a call may be made, or when the job starts no more. */
  async untilAllowed(isOver: () => boolean): Promise<void> {
    while (this.#outage !== null && !isOver()) {
      const outage = this.#outage;
      if (!this.#isProbing && Date.now() >= outage.probeAt) {
        this.#isProbing = true;
        return;
      }
      const isChanged = (): boolean =>
        isOver() || this.#outage !== outage || (!this.#isProbing && Date.now() >= outage.probeAt);
      await condition(isChanged, Math.max(1, outage.probeAt - Date.now()));
    }
  }

  /** A call was made, or failed of itself: what it needs works. */
  succeeded(): void {
    this.#outage = null;
    this.#isProbing = false;
  }

  /** A call failed of something outside of it. Calls that were under way do not lengthen the pause. */
  failed(message: string): void {
    const probes = this.#isProbing ? (this.#outage?.probes ?? 0) + 1 : 0;
    const isNew = this.#outage === null || this.#isProbing;
    this.#isProbing = false;
    if (isNew) this.#outage = { message, probes, probeAt: Date.now() + pauseMs(probes, true) };
  }
}
