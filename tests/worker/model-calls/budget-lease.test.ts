import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { noAmount, type Amount } from '../../../domain/budget/amount.js';
import type { LeaseGrant, LeaseRequest, LeaseSummary } from '../../../domain/budget/ledger.js';
import { BudgetLease } from '../../../worker/model-calls/budget-lease.js';
import type { Reserved } from '../../../worker/model-calls/reserve.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { testHome } from '../../support/test-home.js';

const { run } = exampleManifest();
const tokens = (count: number): Amount => ({ usd: 0, tokens: count });
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
  return { requests, leased: new BudgetLease(client, testHome, run, () => undefined) };
}

const reserve = (leased: BudgetLease, count: number, signal = never): Promise<Reserved> =>
  leased.reserve(() => tokens(count), signal, true);

function settled(spending: Reserved, count: number): void {
  if (spending.kind !== 'reserved') throw new Error('it was refused');
  spending.settle(tokens(count));
}

/** Grants what is left of `cap`. */
const upTo =
  (cap: number) =>
  ({ wants, spent }: LeaseRequest): LeaseGrant => ({
    held: tokens(Math.min(wants.tokens, cap - spent.tokens)),
    capped: true,
  });

describe('a lease of a budget', () => {
  it('asks once where there is no budget, and computes no need', async () => {
    const { requests, leased } = leasedFrom(() => ({ held: noAmount, capped: false }));
    const need = (): Amount => {
      throw new Error('nobody needs to know');
    };
    const calls = [1, 2].map(() => leased.reserve(need, never, false));
    await Promise.all(calls);
    expect(requests).toEqual([
      { id: requests[0]?.id, requests: 1, spent: noAmount, wants: noAmount },
    ]);
  });

  it('lets calls go where there was no budget and the run does not answer, and reports what they came to', async () => {
    let isThere = false;
    const { requests, leased } = leasedFrom(() => {
      if (!isThere) throw new Error('no connection');
      return { held: noAmount, capped: false };
    });
    const first = await leased.reserve(() => tokens(10), never, false);
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
      return { held: noAmount, capped: false };
    });
    settled(await leased.reserve(() => tokens(10), never, false), 7);
    // Wants nothing, which gives the lease back.
    await expect(leased.reserve(() => noAmount, never, true)).rejects.toThrow();
    await expect(leased.reserve(() => noAmount, never, true)).rejects.toThrow();
    isLost = false;
    await leased.reserve(() => noAmount, never, true);
    const spent = requests.map((request) => request.spent.tokens);
    expect(spent.filter((count) => count > 0)).toEqual([7]);
    expect(new Set(requests.map(({ id }) => id)).size).toBe(requests.length);
  });

  it('keeps to a budget that a run has got since', async () => {
    const { leased } = leasedFrom(upTo(15));
    await leased.reserve(() => tokens(10), never, false);
    const second = reserve(leased, 20);
    expect(await second).toEqual({ kind: 'refused', need: tokens(20) });
  });

  it('asks before the next call where the manifest says that a run has got one, not at the next report', async () => {
    let cap: number | null = null;
    const { leased } = leasedFrom((request) =>
      cap === null ? { held: noAmount, capped: false } : upTo(cap)(request),
    );
    await leased.reserve(() => tokens(10), never, false);
    await leased.reserve(() => tokens(10), never, false);
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
