import { z } from 'zod';
import {
  add,
  amountSchema,
  capSchema,
  capAsAmount,
  covers,
  isCapped,
  isZero,
  min,
  subtract,
  noCap,
  noAmount,
  sum,
  type Amount,
  type Cap,
} from './amount.js';

/** What a worker may spend for a run without asking again, and what it has spent of earlier grants. */
export const leaseSchema = z.object({
  /** Of one worker process, from its first call for the run until it has none under way. */
  id: z.string(),
  held: amountSchema,
  spent: amountSchema,
  /** Requests for it so far. */
  requests: z.int(),
  /** Unless it is heard of before, in milliseconds since 1970. */
  expiresAt: z.number(),
});

/** A run's money: its workflow keeps it, its workers lease from it. Nothing is spent that was not held before. */
export const ledgerSchema = z.object({
  cap: capSchema,
  /** By leases that were given back, and before this run's workflow began. */
  settled: amountSchema,
  /** Held by leases that were lost with their worker: spent or not, nobody knows until the replies are counted. */
  uncertain: amountSchema,
  leases: z.array(leaseSchema.readonly()),
});
export type Ledger = Readonly<z.infer<typeof ledgerSchema>>;

export const openLedger = (cap: Cap, settled: Amount): Ledger => ({
  cap,
  settled,
  uncertain: noAmount,
  leases: [],
});
export const emptyLedger = openLedger(noCap, noAmount);

/** What a worker asks of a run's ledger. Asking twice is as good as asking once, until a lease is given back. */
export interface LeaseRequest {
  readonly id: string;
  /** Requests for this lease, this one included. */
  readonly requests: number;
  /** By this lease, since it began. */
  readonly spent: Amount;
  /** To hold from now on, its calls under way included. Nothing gives the lease back. */
  readonly wants: Amount;
}

export interface LeaseGrant {
  /** Never more than was wanted. */
  readonly held: Amount;
  /** Whether a ceiling may make it less than was wanted. */
  readonly capped: boolean;
}

/** What a worker finds its lease to be. */
export interface LeaseSummary extends LeaseGrant {
  /** As it counted itself in the newest request that was answered; null where there is no such lease. */
  readonly requests: number | null;
}

/** Longer than a worker is silent between two reports, several times. */
export const leaseMs = 60_000;

export function grantLease(
  ledger: Ledger,
  { id, spent, wants, requests }: LeaseRequest,
  nowMs: number,
): { readonly ledger: Ledger; readonly grant: LeaseGrant } {
  const others = ledger.leases.filter((lease) => lease.id !== id);
  const capped = isCapped(ledger.cap);
  if (isZero(wants)) {
    const settled = add(ledger.settled, spent);
    return { ledger: { ...ledger, settled, leases: others }, grant: { held: noAmount, capped } };
  }
  const withoutIt = { ...ledger, leases: others };
  const held = min(wants, subtract(freeOf(withoutIt), spent));
  const lease = { id, held, spent, requests, expiresAt: nowMs + leaseMs };
  return { ledger: { ...ledger, leases: [...others, lease] }, grant: { held, capped } };
}

export function leaseSummary({ cap, leases }: Ledger, id: string): LeaseSummary {
  const lease = leases.find((one) => one.id === id);
  return {
    held: lease?.held ?? noAmount,
    capped: isCapped(cap),
    requests: lease?.requests ?? null,
  };
}

/** Ends the leases nobody was heard of: their workers are taken for lost. */
export function expireLeases(ledger: Ledger, nowMs: number): Ledger {
  const lost = ledger.leases.filter(({ expiresAt }) => expiresAt <= nowMs);
  if (lost.length === 0) return ledger;
  return {
    ...ledger,
    settled: add(ledger.settled, sum(lost.map(({ spent }) => spent))),
    uncertain: add(ledger.uncertain, sum(lost.map(({ held }) => held))),
    leases: ledger.leases.filter(({ expiresAt }) => expiresAt > nowMs),
  };
}

/** Only a ledger without leases stands still long enough to be set right by counting. */
export const needsRecount = ({ uncertain, leases }: Ledger): boolean =>
  leases.length === 0 && !isZero(uncertain);

export const recordRecount = (ledger: Ledger, spent: Amount): Ledger =>
  ledger.leases.length === 0 ? { ...ledger, settled: spent, uncertain: noAmount } : ledger;

/** Spent as far as is known; what is under way is not in it. */
export const spentOf = ({ settled, leases }: Ledger): Amount =>
  add(settled, sum(leases.map(({ spent }) => spent)));

/** Reserved for calls under way, or about to be. */
export const heldOf = ({ uncertain, leases }: Ledger): Amount =>
  add(uncertain, sum(leases.map(({ held }) => held)));

export const freeOf = (ledger: Ledger): Amount =>
  subtract(subtract(capAsAmount(ledger.cap), spentOf(ledger)), heldOf(ledger));

/** How many of `needs`, from the first on, are free together. */
export function affordable(ledger: Ledger, needs: readonly Amount[]): number {
  let free = freeOf(ledger);
  const refused = needs.findIndex((need) => {
    if (!covers(free, need)) return true;
    free = subtract(free, need);
    return false;
  });
  return refused === -1 ? needs.length : refused;
}

/** A worker's side of one run's ledger. */
export interface LeaseBalance {
  /** May be spent without asking. */
  readonly held: Amount;
  /** Part of `held`: for calls under way. */
  readonly reserved: Amount;
  /** Since the lease began. */
  readonly spent: Amount;
}

export const emptyBalance: LeaseBalance = { held: noAmount, reserved: noAmount, spent: noAmount };

/** Null where not enough is free. */
export function reserve(purse: LeaseBalance, need: Amount): LeaseBalance | null {
  const isFree = covers(subtract(purse.held, purse.reserved), need);
  return isFree ? { ...purse, reserved: add(purse.reserved, need) } : null;
}

/** A call for which `need` was reserved has ended; it cost `actual`. */
export const settle = (purse: LeaseBalance, need: Amount, actual: Amount): LeaseBalance => ({
  held: subtract(purse.held, actual),
  reserved: subtract(purse.reserved, need),
  spent: add(purse.spent, actual),
});

/** Asks for the calls under way, those that wait, and as much again, so as not to ask for each. */
export function leaseRequest(
  purse: LeaseBalance,
  { id, requests }: { readonly id: string; readonly requests: number },
  waiting: readonly Amount[],
): LeaseRequest {
  const needed = add(purse.reserved, sum(waiting));
  return { id, requests, spent: purse.spent, wants: add(needed, needed) };
}

/** @param asked - what was asked; calls may have been settled since */
export const applyGrant = (
  purse: LeaseBalance,
  { spent }: LeaseRequest,
  { held }: LeaseGrant,
): LeaseBalance => ({
  ...purse,
  held: subtract(held, subtract(purse.spent, spent)),
});

/** What is left of a purse whose lease was given back: what was spent since. */
export const balanceAfterReturn = (purse: LeaseBalance, { spent }: LeaseRequest): LeaseBalance => ({
  ...emptyBalance,
  spent: subtract(purse.spent, spent),
});
