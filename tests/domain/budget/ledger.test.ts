import { describe, expect, it } from 'vitest';
import {
  noAmount,
  noBills,
  reservationOf,
  type Amount,
  type Cap,
} from '../../../domain/budget/amount.js';
import {
  affordable,
  emptyBalance,
  expireLeases,
  freeOf,
  grantLease,
  heldOf,
  needsRecount,
  leaseMs,
  ledgerSchema,
  leaseRequest,
  recordBatch,
  recordRecount,
  openLedger,
  applyGrant,
  balanceAfterReturn,
  settle,
  spentOf,
  reserve,
  unreserved,
  type Ledger,
  type LeaseBalance,
} from '../../../domain/budget/ledger.js';
import { callOf, pictureCall } from '../../support/model-calls/call-sizes.js';
import fc from '../../support/arbitrary/fast-check.js';

const tokens = (count: number): Amount => ({ usd: count / 1000, tokens: count });
const capOf = (count: number): Cap => ({ usd: count / 1000, tokens: count });

/** A worker with its lease and its calls in flight. */
interface Worker {
  readonly id: string;
  balance: LeaseBalance;
  isLearner: boolean;
  readonly calls: Amount[];
}

const asked = { id: 'a', requests: 1, learns: false, bills: noBills };

function askFor(
  worker: Worker,
  ledger: Ledger,
  waiting: readonly Amount[],
  learns = false,
): Ledger {
  const request = leaseRequest(worker.balance, { ...asked, id: worker.id, learns }, waiting);
  const { ledger: next, grant } = grantLease(ledger, request, 0);
  worker.isLearner = grant.learner === 'this';
  worker.balance =
    request.wants.tokens === 0
      ? balanceAfterReturn(worker.balance, request)
      : applyGrant(worker.balance, request, grant);
  return next;
}

describe('a ledger and the lease balances of its workers', () => {
  const step = fc.record({
    worker: fc.nat(2),
    what: fc.constantFrom('begin', 'learn', 'end', 'report'),
    need: fc.integer({ min: 1, max: 400 }),
    /** Of what was reserved, in percent. */
    actual: fc.nat(100),
  });

  it('never let more be spent and held than the cap, and hold nothing once all calls have ended', () => {
    fc.assert(
      fc.property(fc.nat(2000), fc.array(step, { maxLength: 200 }), (cap, steps) => {
        let ledger = openLedger(capOf(cap), noAmount);
        const workers = ['a', 'b', 'c'].map((id): Worker => ({
          id,
          balance: emptyBalance,
          isLearner: false,
          calls: [],
        }));
        let spent = 0;
        for (const { worker: index, what, need, actual } of steps) {
          const worker = workers[index] ?? workers[0];
          if (!worker) return;
          if (what === 'report') ledger = askFor(worker, ledger, []);
          if (what === 'begin' || what === 'learn') {
            ledger = askFor(worker, ledger, [tokens(need)], what === 'learn');
            const size = what === 'learn' ? pictureCall() : callOf(need);
            const free = unreserved(worker.balance);
            const mayLearn = worker.isLearner;
            const found = reservationOf(size, noBills, { free, mayLearn });
            if (found.kind === 'reservable') {
              worker.balance = reserve(worker.balance, found.need);
              worker.calls.push(found.need);
            }
            expect(workers.filter(({ isLearner }) => isLearner).length).toBeLessThanOrEqual(1);
          }
          const call = what === 'end' ? worker.calls.shift() : undefined;
          if (call) {
            const cost = Math.floor((call.tokens * actual) / 100);
            spent += cost;
            worker.balance = settle(worker.balance, call, tokens(cost));
          }
          expect(spentOf(ledger).tokens + heldOf(ledger).tokens).toBeLessThanOrEqual(cap);
          const underWay = workers.flatMap(({ calls }) => calls);
          const reserved = underWay.reduce((sum, { tokens: count }) => sum + count, 0);
          expect(spent + reserved).toBeLessThanOrEqual(cap);
        }
        for (const worker of workers) {
          for (const call of worker.calls.splice(0)) {
            spent += call.tokens;
            worker.balance = settle(worker.balance, call, call);
          }
          ledger = askFor(worker, ledger, []);
        }
        expect(heldOf(ledger)).toEqual(noAmount);
        expect(spentOf(ledger).tokens).toBe(spent);
        expect(spent).toBeLessThanOrEqual(cap);
      }),
    );
  });

  it('grant the same to a request that is made twice', () => {
    const request = { ...asked, spent: tokens(10), wants: tokens(50) };
    const once = grantLease(openLedger(capOf(100), noAmount), request, 0);
    expect(grantLease(once.ledger, request, 0)).toEqual(once);
    expect(once.grant).toMatchObject({ held: tokens(50), capped: true });
  });

  it('grant everything where there is no cap', () => {
    const { grant } = grantLease(
      openLedger({ usd: null, tokens: null }, noAmount),
      { ...asked, spent: noAmount, wants: tokens(50) },
      0,
    );
    expect(grant).toMatchObject({ held: tokens(50), capped: false });
  });
});

describe('the lease of a worker that is lost', () => {
  const leased = grantLease(
    openLedger(capOf(100), tokens(5)),
    { ...asked, spent: tokens(20), wants: tokens(40) },
    0,
  ).ledger;

  it('stays reserved until what was spent has been counted', () => {
    expect(expireLeases(leased, leaseMs - 1)).toBe(leased);
    const lost = expireLeases(leased, leaseMs);
    expect(lost).toMatchObject({ settled: tokens(25), uncertain: tokens(40), leases: [] });
    expect(freeOf(lost).tokens).toBe(35);
    expect(needsRecount(lost)).toBe(true);
    const counted = recordRecount(lost, tokens(30));
    expect(heldOf(counted)).toEqual(noAmount);
    expect(freeOf(counted).tokens).toBe(70);
  });

  it('is not counted while another worker spends', () => {
    const lost = expireLeases(leased, leaseMs);
    const request = { ...asked, id: 'b', spent: noAmount, wants: tokens(10) };
    const busy = grantLease(lost, request, leaseMs).ledger;
    expect(needsRecount(busy)).toBe(false);
    expect(recordRecount(busy, tokens(30))).toBe(busy);
  });
});

describe('a lease that expires while its worker goes on', () => {
  const step = fc.record({
    worker: fc.nat(1),
    what: fc.constantFrom('begin', 'end', 'report', 'expire', 'recount', 'carry'),
    need: fc.integer({ min: 1, max: 100 }),
    actual: fc.nat(100),
  });

  it('counts what the worker spends once', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        let ledger = openLedger(capOf(100_000), noAmount);
        let billed = 0;
        const workers = ['a', 'b'].map((id): Worker => ({
          id,
          balance: emptyBalance,
          isLearner: false,
          calls: [],
        }));
        const end = (worker: Worker, actual: number): void => {
          const call = worker.calls.shift();
          if (!call) return;
          const cost = Math.floor((call.tokens * actual) / 100);
          billed += cost;
          worker.balance = settle(worker.balance, call, tokens(cost));
        };
        const recount = (): void => {
          if (needsRecount(ledger)) ledger = recordRecount(ledger, tokens(billed));
        };
        for (const { worker: index, what, need, actual } of steps) {
          const worker = workers[index];
          if (!worker) return;
          if (what === 'begin') {
            ledger = askFor(worker, ledger, [tokens(need)]);
            worker.balance = reserve(worker.balance, tokens(need));
            worker.calls.push(tokens(need));
          }
          if (what === 'end') end(worker, actual);
          if (what === 'report') ledger = askFor(worker, ledger, []);
          if (what === 'expire') ledger = expireLeases(ledger, Infinity);
          if (what === 'recount') recount();
          if (what === 'carry') ledger = ledgerSchema.parse(JSON.parse(JSON.stringify(ledger)));
          expect(spentOf(ledger).tokens).toBeLessThanOrEqual(billed);
        }
        for (const worker of workers) {
          while (worker.calls.length > 0) end(worker, 50);
          ledger = askFor(worker, ledger, []);
        }
        recount();
        expect(spentOf(ledger).tokens).toBe(billed);
        expect(heldOf(ledger)).toEqual(noAmount);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('batches', () => {
  it('hold what their calls may cost, and have spent what they cost once they have ended', () => {
    const opened = openLedger(capOf(100), tokens(10));
    const one = recordBatch(opened, { number: 1, held: tokens(40), spent: null });
    const both = recordBatch(one, { number: 2, held: tokens(20), spent: null });
    expect(freeOf(both)).toEqual(tokens(30));
    const ended = recordBatch(both, { number: 1, held: tokens(40), spent: tokens(5) });
    expect([spentOf(ended), heldOf(ended)]).toEqual([tokens(15), tokens(20)]);
    expect(ended.batched).toMatchObject({ last: 2, open: [{ number: 2 }] });
    // What stored replies come to does not have them.
    expect(spentOf(recordRecount(ended, tokens(10)))).toEqual(tokens(15));
    expect(ledgerSchema.parse(JSON.parse(JSON.stringify(ended)))).toEqual(ended);
  });
});

describe('what is affordable', () => {
  it.each<[number, readonly number[], number]>([
    [100, [], 0],
    [100, [50, 50, 1], 2],
    [100, [101, 1], 0],
    [100, [10, 20, 30], 3],
  ])('of %i, for %j, are the first %i', (cap, needs, count) => {
    expect(affordable(openLedger(capOf(cap), noAmount), needs.map(tokens))).toBe(count);
  });
});
