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
  allOf,
  billsSchema,
  mergeBills,
  noBills,
  type Amount,
  type Cap,
  type Bills,
} from './amount.js';

/** The part of a run's budget that a worker may spend without asking again. */
const leaseSchema = z.object({
  /** Names one worker process, from its first call for the run until it has no call in flight. */
  id: z.string(),
  /** What may still be spent. */
  held: amountSchema,
  /** What was spent since the lease began. */
  spent: amountSchema,
  /** The number of requests for the lease so far. */
  requests: z.int(),
  /** Whether it holds all that was free, for a call of unknown cost. One lease of the run may. */
  learns: z.boolean(),
  /** In milliseconds since 1970. Each request extends it. */
  expiresAt: z.number(),
});

const expiredSchema = z
  .object({
    id: z.string(),
    /** The part of `settled` that the lease had reported. */
    spent: amountSchema,
    /** The part of `uncertain` that the lease held. */
    held: amountSchema,
    /** Whether stored replies were counted since, which may hold what the worker has not reported. */
    counted: z.boolean(),
  })
  .readonly();

const openBatchSchema = z.object({ number: z.int(), held: amountSchema });

/** Calls in batches. They are in no lease and no recount: the files of the batches tell what they have cost. */
const batchedSchema = z.object({
  /** The number of the last batch. */
  last: z.int().nonnegative(),
  /** By the batches that have ended. */
  spent: amountSchema,
  /** The others, each with what its calls may cost. */
  open: z.array(openBatchSchema.readonly()),
});
export type Batched = Readonly<z.infer<typeof batchedSchema>>;

export const noBatches: Batched = { last: 0, spent: noAmount, open: [] };

/** The budget of a run. The run's workflow keeps it, and workers lease parts of it. A worker spends only what it holds. */
export const ledgerSchema = z.object({
  cap: capSchema,
  /** Spent by returned leases, and before the run's workflow began. */
  settled: amountSchema,
  /** Held by the leases of lost workers. It may have been spent; a recount of the stored replies tells. */
  uncertain: amountSchema,
  leases: z.array(leaseSchema.readonly()),
  /** Ended without a report. A worker that was only cut off goes on with its lease. Absent for none. */
  expired: z.array(expiredSchema).optional(),
  /** Absent for none. */
  batched: batchedSchema.optional(),
  /** Of all workers. */
  bills: billsSchema,
});
export type Ledger = Readonly<z.infer<typeof ledgerSchema>>;

export const openLedger = (cap: Cap, settled: Amount, bills: Bills = noBills): Ledger => ({
  cap,
  settled,
  uncertain: noAmount,
  leases: [],
  bills,
});
export const emptyLedger = openLedger(noCap, noAmount);

/** A worker's request to a run's ledger. It is idempotent, except for the one that returns the lease. */
export interface LeaseRequest {
  readonly id: string;
  /** The number of requests for this lease, this one included. */
  readonly requests: number;
  /** Since the lease began. */
  readonly spent: Amount;
  /** The wanted `held`, calls in flight included. Zero returns the lease. */
  readonly wants: Amount;
  /** Whether it wants all that is free, because a call of unknown cost waits or is in flight. */
  readonly learns: boolean;
  /** All bills that the worker knows of. */
  readonly bills: Bills;
}

export interface LeaseGrant {
  /** At most what the request wanted. */
  readonly held: Amount;
  /** Whether the run has a budget, so that less than wanted may be granted. */
  readonly capped: boolean;
  /** The lease that may make a call of unknown cost, and holds all that was free. Null if none may. */
  readonly learner: 'this' | 'other' | null;
  /** All bills that the run knows of. */
  readonly bills: Bills;
}

/** The state of a lease, which its worker queries. */
export interface LeaseSummary extends LeaseGrant {
  /** `requests` of the latest answered request. Null if there is no such lease. */
  readonly requests: number | null;
}

/** Several times the interval of a worker's reports. */
export const leaseMs = 60_000;

export function grantLease(
  before: Ledger,
  request: LeaseRequest,
  nowMs: number,
): { readonly ledger: Ledger; readonly grant: LeaseGrant } {
  const { id, spent, wants, requests } = request;
  const ledger = revive(before, request);
  const others = ledger.leases.filter((lease) => lease.id !== id);
  const bills = mergeBills(ledger.bills, request.bills);
  const granted = (changed: Partial<Ledger>): ReturnType<typeof grantLease> => {
    const next = { ...ledger, bills, ...changed };
    const { held, capped, learner, bills: known } = leaseSummary(next, id);
    return { ledger: next, grant: { held, capped, learner, bills: known } };
  };
  if (isZero(wants)) return granted({ settled: add(ledger.settled, spent), leases: others });
  const free = subtract(freeOf({ ...ledger, leases: others }), spent);
  const learns = request.learns && !others.some((lease) => lease.learns);
  const held = learns ? allOf(free, wants) : min(wants, free);
  const lease = { id, held, spent, requests, learns, expiresAt: nowMs + leaseMs };
  return granted({ leases: [...others, lease] });
}

export function leaseSummary({ cap, leases, bills }: Ledger, id: string): LeaseSummary {
  const lease = leases.find((one) => one.id === id);
  const learner = leases.find(({ learns }) => learns);
  return {
    held: lease?.held ?? noAmount,
    capped: isCapped(cap),
    learner: learner === undefined ? null : learner === lease ? 'this' : 'other',
    bills,
    requests: lease?.requests ?? null,
  };
}

/** Ends the leases of workers that have not reported in time. */
export function expireLeases(ledger: Ledger, nowMs: number): Ledger {
  const lost = ledger.leases.filter(({ expiresAt }) => expiresAt <= nowMs);
  if (lost.length === 0) return ledger;
  return {
    ...ledger,
    settled: add(ledger.settled, sum(lost.map(({ spent }) => spent))),
    uncertain: add(ledger.uncertain, sum(lost.map(({ held }) => held))),
    leases: ledger.leases.filter(({ expiresAt }) => expiresAt > nowMs),
    expired: [
      ...(ledger.expired ?? []),
      ...lost.map(({ id, spent, held }) => ({ id, spent, held, counted: false })),
    ],
  };
}

/**
 * Takes an expired lease back whose worker reports again. Its report holds all that was spent since the lease began, and what
 * of it was counted meanwhile counts once: another recount tells what else was stored by then.
 */
function revive(ledger: Ledger, { id, spent }: LeaseRequest): Ledger {
  const known = ledger.expired?.find((one) => one.id === id);
  if (known === undefined) return ledger;
  const expired = ledger.expired?.filter((one) => one !== known);
  const settled = subtract(ledger.settled, known.spent);
  if (!known.counted) {
    return { ...ledger, settled, uncertain: subtract(ledger.uncertain, known.held), expired };
  }
  const unsure = subtract(spent, known.spent);
  return {
    ...ledger,
    settled: subtract(settled, unsure),
    uncertain: add(ledger.uncertain, unsure),
    expired,
  };
}

/** Whether the spent amount must be counted from the stored replies. Only possible while no worker spends anything. */
export const needsRecount = ({ uncertain, leases }: Ledger): boolean =>
  leases.length === 0 && !isZero(uncertain);

export const recordRecount = (ledger: Ledger, spent: Amount): Ledger =>
  ledger.leases.length === 0
    ? {
        ...ledger,
        settled: spent,
        uncertain: noAmount,
        ...(ledger.expired && {
          expired: ledger.expired.map((one) => ({ ...one, held: noAmount, counted: true })),
        }),
      }
    : ledger;

interface RecordedBatch extends Readonly<z.infer<typeof openBatchSchema>> {
  /** Null while it is open. */
  readonly spent: Amount | null;
  /** @defaultValue none */
  readonly bills?: Bills;
}

/** Records a batch, and once that it has ended. */
export function recordBatch(
  { batched = noBatches, ...ledger }: Ledger,
  { number, held, spent, bills = noBills }: RecordedBatch,
): Ledger {
  const last = Math.max(batched.last, number);
  const others = batched.open.filter((open) => open.number !== number);
  return {
    ...ledger,
    bills: mergeBills(ledger.bills, bills),
    batched:
      spent === null
        ? { ...batched, last, open: [...others, { number, held }] }
        : { last, spent: add(batched.spent, spent), open: others },
  };
}

/** The known cost of all ended calls. */
export const spentOf = ({ settled, leases, batched = noBatches }: Ledger): Amount =>
  sum([settled, batched.spent, ...leases.map(({ spent }) => spent)]);

/** What leases and batches hold, and what lost leases held. */
export const heldOf = ({ uncertain, leases, batched = noBatches }: Ledger): Amount =>
  sum([uncertain, ...[...leases, ...batched.open].map(({ held }) => held)]);

export const freeOf = (ledger: Ledger): Amount =>
  subtract(subtract(capAsAmount(ledger.cap), spentOf(ledger)), heldOf(ledger));

/** How many of `needs`, counted from the first, the free part of the budget covers together. */
export function affordable(ledger: Ledger, needs: readonly Amount[]): number {
  let free = freeOf(ledger);
  const refused = needs.findIndex((need) => {
    if (!covers(free, need)) return true;
    free = subtract(free, need);
    return false;
  });
  return refused === -1 ? needs.length : refused;
}

/** A worker's account of its lease. */
export interface LeaseBalance {
  /** What may still be spent. */
  readonly held: Amount;
  /** The part of `held` that is reserved for calls in flight. */
  readonly reserved: Amount;
  /** Since the lease began. */
  readonly spent: Amount;
}

export const emptyBalance: LeaseBalance = { held: noAmount, reserved: noAmount, spent: noAmount };

export const unreserved = ({ held, reserved }: LeaseBalance): Amount => subtract(held, reserved);

export const reserve = (balance: LeaseBalance, need: Amount): LeaseBalance => ({
  ...balance,
  reserved: add(balance.reserved, need),
});

/** Records the end of a call: `need` was reserved, and the call cost `actual`. */
export const settle = (balance: LeaseBalance, need: Amount, actual: Amount): LeaseBalance => ({
  held: subtract(balance.held, actual),
  reserved: subtract(balance.reserved, need),
  spent: add(balance.spent, actual),
});

/** Wants twice the need of the calls in flight and waiting, so that not every call causes a request. */
export function leaseRequest(
  balance: LeaseBalance,
  lease: Pick<LeaseRequest, 'id' | 'requests' | 'learns' | 'bills'>,
  waiting: readonly Amount[],
): LeaseRequest {
  const needed = add(balance.reserved, sum(waiting));
  return { ...lease, spent: balance.spent, wants: add(needed, needed) };
}

/** Applies a grant. Calls may have been settled since the request. */
export const applyGrant = (
  balance: LeaseBalance,
  { spent }: LeaseRequest,
  { held }: LeaseGrant,
): LeaseBalance => ({
  ...balance,
  held: subtract(held, subtract(balance.spent, spent)),
});

/** The balance after the lease was returned: only what was spent since the request. */
export const balanceAfterReturn = (
  balance: LeaseBalance,
  { spent }: LeaseRequest,
): LeaseBalance => ({
  ...emptyBalance,
  spent: subtract(balance.spent, spent),
});
