import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { noAmount, noBills, type Amount, type CallSize } from '../../../domain/budget/amount.js';
import type { LeaseGrant, LeaseRequest, LeaseSummary } from '../../../domain/budget/ledger.js';
import { BudgetLease } from '../../../worker/model-calls/budget-lease.js';
import type { Reserved } from '../../../worker/model-calls/reserve.js';
import { callOf, pictureCall } from '../../support/model-calls/call-sizes.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { LeasedRun } from '../../support/runs/leased-run.js';
import { testHome } from '../../support/test-home.js';

const { run } = exampleManifest();
const tokens = (count: number): Amount => ({ usd: 0, tokens: count });
const uncapped: LeaseGrant = { held: noAmount, capped: false, learner: null, bills: noBills };
const never = new AbortController().signal;

/** The run's side: answers each request as it is told to, and keeps them. */
function leasedFrom(answer: (request: LeaseRequest) => LeaseGrant | Promise<LeaseGrant>) {
  const requests: LeaseRequest[] = [];
  const answers = new Map<string, LeaseSummary>();
  const handle = {
    signal: async (_: unknown, request: LeaseRequest) => {
      requests.push(request);
      const granted = await answer(request);
      answers.set(request.id, { ...granted, requests: request.requests });
    },
    query: (_: unknown, lease: string) => Promise.resolve(answers.get(lease)),
  };
  const client = {
    workflow: { getHandle: () => handle },
    withDeadline: (_: number, talk: () => Promise<unknown>) => talk(),
    // BudgetLease asks for nothing else.
  } as unknown as Client;
  return {
    requests,
    leased: new BudgetLease(client, testHome, { kind: 'run', run }, () => undefined),
  };
}

const reserve = (leased: BudgetLease, count: number, signal = never): Promise<Reserved> =>
  leased.reserve(() => callOf(count), signal, true);

function settled(spending: Reserved, count: number): void {
  if (spending.kind !== 'reserved') throw new Error('it was refused');
  spending.settle(tokens(count), null);
}

/** Grants what is left of `cap`. */
const upTo =
  (cap: number) =>
  ({ wants, spent }: LeaseRequest): LeaseGrant => ({
    ...uncapped,
    held: tokens(Math.min(wants.tokens, cap - spent.tokens)),
    capped: true,
  });

describe('a lease of a budget', () => {
  it('asks once where there is no budget, and computes no need', async () => {
    const { requests, leased } = leasedFrom(() => uncapped);
    const need = (): CallSize => {
      throw new Error('nobody needs to know');
    };
    const calls = [1, 2].map(() => leased.reserve(need, never, false));
    await Promise.all(calls);
    expect(requests).toEqual([
      {
        id: requests[0]?.id,
        requests: 1,
        spent: noAmount,
        wants: noAmount,
        learns: false,
        bills: noBills,
      },
    ]);
  });

  it('lets calls go where there was no budget and the run does not answer, and reports what they came to', async () => {
    let isThere = false;
    const { requests, leased } = leasedFrom(() => {
      if (!isThere) throw new Error('no connection');
      return uncapped;
    });
    const first = await leased.reserve(() => callOf(10), never, false);
    settled(first, 7);
    await expect(reserve(leased, 1)).rejects.toMatchObject({ type: 'RunUnreachable' });
    isThere = true;
    await reserve(leased, 1);
    // The first report that found nobody was of a lease that is over. What it has spent is counted from the stored replies.
    expect(requests.map(({ spent }) => spent.tokens)).toContain(7);
  });

  it('reports once what a lease has spent that is given back, though its acknowledgement is lost', async () => {
    let isLost = true;
    const { requests, leased } = leasedFrom(() => {
      if (isLost) throw new Error('the acknowledgement is lost');
      return uncapped;
    });
    settled(await leased.reserve(() => callOf(10), never, false), 7);
    // Wants nothing, which gives the lease back.
    await expect(reserve(leased, 0)).rejects.toThrow();
    await expect(reserve(leased, 0)).rejects.toThrow();
    isLost = false;
    await reserve(leased, 0);
    const spent = requests.map((request) => request.spent.tokens);
    expect(spent.filter((count) => count > 0)).toEqual([7]);
    expect(new Set(requests.map(({ id }) => id)).size).toBe(requests.length);
  });

  it('keeps to a budget that a run has got since', async () => {
    const { leased } = leasedFrom(upTo(15));
    await leased.reserve(() => callOf(10), never, false);
    const second = reserve(leased, 20);
    expect(await second).toEqual({ kind: 'refused', need: tokens(20) });
  });

  it('asks before the next call where the manifest says that a run has got one, not at the next report', async () => {
    let cap: number | null = null;
    const { leased } = leasedFrom((request) => (cap === null ? uncapped : upTo(cap)(request)));
    await leased.reserve(() => callOf(10), never, false);
    await leased.reserve(() => callOf(10), never, false);
    cap = 15;
    expect(await reserve(leased, 20)).toEqual({ kind: 'refused', need: tokens(20) });
    expect(await reserve(leased, 10)).toMatchObject({ kind: 'reserved' });
  });

  it('reserves for each call, and asks for as much again', async () => {
    const { requests, leased } = leasedFrom(upTo(1000));
    expect(await reserve(leased, 10)).toMatchObject({ kind: 'reserved' });
    expect(await reserve(leased, 10)).toMatchObject({ kind: 'reserved' });
    expect(requests.map(({ wants }) => wants.tokens)).toEqual([0, 20]);
  });

  it('lets a call wait that what is under way may leave enough for', async () => {
    const { leased } = leasedFrom(upTo(15));
    const first = await reserve(leased, 10);
    const second = reserve(leased, 10);
    settled(first, 5);
    expect(await second).toMatchObject({ kind: 'reserved' });
  });

  it('refuses what is not there once nothing is under way, and tells the need', async () => {
    const { leased } = leasedFrom(upTo(15));
    const first = await reserve(leased, 10);
    const second = reserve(leased, 10);
    settled(first, 10);
    expect(await second).toEqual({ kind: 'refused', need: tokens(10) });
  });

  it('gives up a place in line with the call that wanted it', async () => {
    const { leased } = leasedFrom(upTo(15));
    const first = await reserve(leased, 10);
    const { signal, abort } = (() => {
      const controller = new AbortController();
      return { signal: controller.signal, abort: () => controller.abort(new Error('given up')) };
    })();
    const second = reserve(leased, 10, signal);
    abort();
    await expect(second).rejects.toThrow('given up');
    await expect(reserve(leased, 10, signal)).rejects.toThrow('given up');
    settled(first, 5);
    expect(await reserve(leased, 10)).toMatchObject({ kind: 'reserved' });
  });

  it('spends nothing where the run cannot be asked, and asks again for the next call', async () => {
    let isThere = false;
    const { leased } = leasedFrom((request) => {
      if (!isThere) throw new Error('no connection');
      return upTo(100)(request);
    });
    await expect(reserve(leased, 10)).rejects.toMatchObject({ type: 'RunUnreachable' });
    isThere = true;
    expect(await reserve(leased, 10)).toMatchObject({ kind: 'reserved' });
  });

  it('says that the run is gone, also to those that wait, and asks again for the next call', async () => {
    let isThere = true;
    const { leased } = leasedFrom((request) => {
      if (!isThere) throw new WorkflowNotFoundError('gone', 'run/a-run', undefined);
      return upTo(15)(request);
    });
    const first = await reserve(leased, 10);
    const second = reserve(leased, 10);
    isThere = false;
    settled(first, 10);
    expect(await second).toEqual({ kind: 'no-run' });
    expect(await reserve(leased, 1)).toEqual({ kind: 'no-run' });
    isThere = true;
    expect(await reserve(leased, 1)).toMatchObject({ kind: 'reserved' });
  });
});

describe('calls of unknown cost', () => {
  const picture = (lease: BudgetLease): Promise<Reserved> =>
    lease.reserve(() => pictureCall(), never, true);
  const isPending = async (reserved: Promise<Reserved>): Promise<boolean> => {
    const pending = new Promise<null>((resolve) => setTimeout(resolve, 10, null));
    return (await Promise.race([reserved, pending])) === null;
  };

  it('are made one at a time in all workers, holding all that is left, until a bill is known', async () => {
    const leased = new LeasedRun({ usd: null, tokens: 3000 });
    const [a, b] = [1, 2].map(
      () => new BudgetLease(leased.client, testHome, { kind: 'run', run }, () => undefined),
    ) as [BudgetLease, BudgetLease];
    const first = await picture(a);
    expect(leased.committed.tokens).toBe(3000);
    const others = [picture(a), picture(b), reserve(b, 10)];
    for (const other of others) expect(await isPending(other)).toBe(true);
    if (first.kind !== 'reserved') throw new Error('it was refused');
    expect(first.most()).toEqual(tokens(100));
    first.settle(tokens(250), 250);
    const after = await Promise.all(others);
    expect(after.map(({ kind }) => kind)).toEqual(['reserved', 'reserved', 'reserved']);
    // Each picture reserves by the bill of the first.
    const [second] = after;
    expect(second?.kind === 'reserved' && second.most()).toEqual(tokens(288));
    expect(leased.ledger.bills).toEqual({ 'pictures a model': { lowest: 25, highest: 25 } });
  });

  it('are refused where less is left than they may cost', async () => {
    const leased = new LeasedRun({ usd: null, tokens: 99 });
    const lease = new BudgetLease(leased.client, testHome, { kind: 'run', run }, () => undefined);
    expect(await picture(lease)).toEqual({ kind: 'refused', need: tokens(100) });
  });
});
