import { condition, setHandler } from '@temporalio/workflow';
import type { Amount } from '../domain/budget/amount.js';
import {
  expireLeases,
  grantLease,
  leaseSummary,
  needsRecount,
  recordRecount,
  type Ledger,
} from '../domain/budget/ledger.js';
import { leaseQuery, requestLeaseSignal } from './messages.js';

/** A workflow that keeps the budget of a run or of a dataset. */
export interface LedgerKeeper {
  ledger: Ledger;
  /** Whether it is known what was spent before. */
  readonly isOpened: boolean;
  /** What all stored replies have cost. */
  readonly countSpent: () => Promise<Amount>;
}

/** Grants leases of the budget to workers. */
export function grantLeases(keeper: LedgerKeeper): void {
  // Nothing is granted before what was spent is known: the questions of a terminated run may ask earlier.
  setHandler(requestLeaseSignal, async (request) => {
    await condition(() => keeper.isOpened);
    keeper.ledger = grantLease(keeper.ledger, request, Date.now()).ledger;
  });
  setHandler(leaseQuery, (lease) => (keeper.isOpened ? leaseSummary(keeper.ledger, lease) : null));
}

/** Waits until `isDue`, or until there may be a lease of a lost worker to take back. */
export async function untilDue(keeper: LedgerKeeper, isDue: () => boolean): Promise<void> {
  const earliest = Math.min(...keeper.ledger.leases.map(({ expiresAt }) => expiresAt));
  const goesOn = (): boolean => isDue() || needsRecount(keeper.ledger);
  if (earliest !== Infinity) await condition(goesOn, Math.max(1, earliest - Date.now()));
  else await condition(() => goesOn() || keeper.ledger.leases.length > 0);
}

/** Takes back the leases of lost workers, and counts what they have spent as soon as no worker spends anything. */
export async function takeBackLeases(keeper: LedgerKeeper): Promise<void> {
  keeper.ledger = expireLeases(keeper.ledger, Date.now());
  if (!needsRecount(keeper.ledger)) return;
  const { settled } = keeper.ledger;
  const spent = await keeper.countSpent();
  // A lease that was settled meanwhile may be counted in part: then the replies are counted again.
  if (keeper.ledger.settled === settled) keeper.ledger = recordRecount(keeper.ledger, spent);
}
