import { add, covers, minus, nothing, sum, type Amount } from './amount.js';
import type { LeaseGrant, LeaseRequest } from './ledger.js';

/** A worker's side of one run's ledger. */
export interface Purse {
  /** May be spent without asking. */
  readonly held: Amount;
  /** Part of `held`: for calls under way. */
  readonly reserved: Amount;
  /** Since the lease began. */
  readonly spent: Amount;
}

export const emptyPurse: Purse = { held: nothing, reserved: nothing, spent: nothing };

/** Null where not enough is free. */
export function take(purse: Purse, need: Amount): Purse | null {
  const isFree = covers(minus(purse.held, purse.reserved), need);
  return isFree ? { ...purse, reserved: add(purse.reserved, need) } : null;
}

/** A call for which `need` was reserved has ended; it cost `actual`. */
export const settle = (purse: Purse, need: Amount, actual: Amount): Purse => ({
  held: minus(purse.held, actual),
  reserved: minus(purse.reserved, need),
  spent: add(purse.spent, actual),
});

/** Asks for the calls under way, those that wait, and as much again, so as not to ask for each. */
export function leaseRequest(
  purse: Purse,
  { id, requests }: { readonly id: string; readonly requests: number },
  waiting: readonly Amount[],
): LeaseRequest {
  const needed = add(purse.reserved, sum(waiting));
  return { id, requests, spent: purse.spent, wants: add(needed, needed) };
}

/** @param asked - what was asked; calls may have been settled since */
export const receive = (purse: Purse, { spent }: LeaseRequest, { held }: LeaseGrant): Purse => ({
  ...purse,
  held: minus(held, minus(purse.spent, spent)),
});

/** What is left of a purse whose lease was given back: what was spent since. */
export const renew = (purse: Purse, { spent }: LeaseRequest): Purse => ({
  ...emptyPurse,
  spent: minus(purse.spent, spent),
});
