import type { Amount, Cap } from '../budget/amount.js';
import { heldOf, spentOf } from '../budget/ledger.js';
import type { SampleKey } from '../ids.js';
import { heldBy, isParked, type RunState, type WaitingQuestion } from './run-state.js';
import { endedCount, type RunTotals } from './run-totals.js';

/** Where a run is, in a few figures: the answer to every update that steers it. */
export interface RunSummary {
  readonly samples: number;
  readonly ended: number;
  readonly inFlight: number;
  /** Those in flight that wait for more than their turn. */
  readonly waiting: number;
  /** Why no question is started at the moment; null where they are. */
  readonly heldBy: ReturnType<typeof heldBy> | 'stopping';
  /** Nothing goes on until somebody lets it. */
  readonly parked: boolean;
  /** Questions in flight at most. */
  readonly concurrency: number;
  /** ISO 8601. */
  readonly deadline: string | null;
  readonly budget: {
    readonly cap: Cap;
    /** By all calls that ended, also of questions that have not. */
    readonly spent: Amount;
    /** For calls under way. */
    readonly reserved: Amount;
  };
}

export function runSummary(state: RunState, concurrency: number): RunSummary {
  const { samples, inFlight, waiting, deadline, ledger, stopping, totals } = state;
  return {
    samples,
    ended: endedCount(totals),
    inFlight: inFlight.length,
    waiting: waiting.length,
    heldBy: stopping === null ? heldBy(state) : 'stopping',
    parked: isParked(state),
    concurrency,
    deadline: deadline === null ? null : new Date(deadline).toISOString(),
    budget: { cap: ledger.cap, spent: spentOf(ledger), reserved: heldOf(ledger) },
  };
}

/** The same, with what it is made of: as long as the window. */
export interface RunProgress {
  readonly samples: number;
  readonly totals: RunTotals;
  readonly inFlight: readonly SampleKey[];
  readonly waiting: readonly WaitingQuestion[];
  readonly summary: RunSummary;
}

export const runProgress = (state: RunState, concurrency: number): RunProgress => ({
  samples: state.samples,
  totals: state.totals,
  inFlight: state.inFlight,
  waiting: state.waiting,
  summary: runSummary(state, concurrency),
});
