import type { AccountReport, AccountShare } from '../../domain/limits/account-report.js';
import type { Call, Permit, TurnedAway } from '../../domain/limits/call.js';
import { Gate, type GateCounts } from '../../domain/limits/gate.js';
import { gateReport } from '../../domain/limits/gate-report.js';

interface Place {
  readonly resolve: (outcome: Permit | TurnedAway) => void;
}

/** Timers take no more. */
const longestTimerMs = 60_000;

/** The gate of one account, in the time of this process. */
export class AccountGate {
  readonly #gate = new Gate(performance.now());
  readonly #places = new Map<Call, Place>();
  #timer: NodeJS.Timeout | undefined;
  #reported: { readonly counts: GateCounts; readonly atMs: number };

  constructor() {
    this.#reported = { counts: this.#gate.counts, atMs: performance.now() };
  }

  /** Waits for a call's turn. Rejects with the signal's reason when it is aborted first. */
  wait(call: Call, signal: AbortSignal): Promise<Permit | TurnedAway> {
    return this.#place(call, signal, () => this.#gate.join(call));
  }

  /** Waits once more, after the call was refused. */
  waitAgain(call: Call, signal: AbortSignal): Promise<Permit | TurnedAway> {
    return this.#place(call, signal, () => this.#gate.rejoin(call));
  }

  /** Tells the gate what became of a call. */
  tell(what: (gate: Gate, nowMs: number) => void): void {
    what(this.#gate, performance.now());
    this.#serve();
  }

  /** What happened since the last report. */
  report(worker: string): AccountReport {
    const nowMs = performance.now();
    const { counts, atMs } = this.#reported;
    const report = gateReport(this.#gate, worker, counts, Math.max(1, nowMs - atMs), nowMs);
    this.#reported = { counts: this.#gate.counts, atMs: nowMs };
    return report;
  }

  heed(share: AccountShare): void {
    this.tell((gate, nowMs) => gate.heed(share, nowMs));
  }

  async #place(call: Call, signal: AbortSignal, join: () => void): Promise<Permit | TurnedAway> {
    signal.throwIfAborted();
    let giveUp: (() => void) | undefined;
    try {
      return await new Promise((resolve, reject) => {
        giveUp = () => {
          this.#places.delete(call);
          this.tell((gate) => gate.leave(call));
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', giveUp);
        this.#places.set(call, { resolve });
        join();
        this.#serve();
      });
    } finally {
      if (giveUp !== undefined) signal.removeEventListener('abort', giveUp);
    }
  }

  #serve(): void {
    const nowMs = performance.now();
    const { permits, turnedAway, wakeAtMs } = this.#gate.serve(nowMs);
    for (const outcome of [...permits, ...turnedAway]) {
      this.#places.get(outcome.call)?.resolve(outcome);
      this.#places.delete(outcome.call);
    }
    clearTimeout(this.#timer);
    if (wakeAtMs === null) return;
    const ms = Math.min(Math.ceil(wakeAtMs - nowMs), longestTimerMs);
    this.#timer = setTimeout(() => this.#serve(), Math.max(1, ms));
  }
}
