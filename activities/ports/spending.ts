import type { Amount } from '../../domain/budget/amount.js';
import type { RunId } from '../../domain/ids.js';

/** A call that may be made. */
export interface Reservation {
  readonly kind: 'reserved';
  /** Tells what the call came to, once. */
  readonly settle: (actual: Amount) => void;
}

export type Spending = Reservation | { readonly kind: 'refused'; readonly need: Amount };

/** The run was ended by somebody's hand: nobody keeps its budget. */
export interface NoRun {
  readonly kind: 'no-run';
}

/**
 * A run's budget, as seen from a worker. Throws PortFailure (`RunUnreachable`) where the run cannot be asked: nothing
 * is spent then.
 */
export interface SpendingPort {
  /**
   * Reserves what a call costs at worst; waits where calls under way may leave enough.
   * @param need - only computed where the run has a budget
   * @param began - whether it has one by its manifest: where it has none, calls go on though the run cannot be asked
   */
  readonly reserve: (
    run: RunId,
    need: () => Amount,
    signal: AbortSignal,
    began: 'capped' | 'uncapped',
  ) => Promise<Spending | NoRun>;
}
