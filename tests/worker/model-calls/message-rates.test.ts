import type { Client } from '@temporalio/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { noCap, noAmount, type Amount } from '../../../domain/budget/amount.js';
import {
  grantLease,
  leaseSummary,
  openLedger,
  type LeaseRequest,
} from '../../../domain/budget/ledger.js';
import { createGuard } from '../../../worker/adapters/guard.js';
import { createAccountLimiter } from '../../../worker/model-calls/rate-limit.js';
import { BudgetLease } from '../../../worker/model-calls/budget-lease.js';
import { callOf } from '../../support/model-calls/call-sizes.js';
import { FakeAccounts } from '../../support/fakes/fake-accounts.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { testHome } from '../../support/test-home.js';

// What 100 workers send in half a minute of simulated time, each with two calls a second.
const workers = 100;
const seconds = 30;
const callsASecond = 2;
const { run } = exampleManifest();
const never = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets each of the workers make its calls, which take a second each. */
async function asking(makeCall: (worker: number) => void): Promise<void> {
  for (let tick = 0; tick < seconds * callsASecond; tick += 1) {
    for (let worker = 0; worker < workers; worker += 1) makeCall(worker);
    await vi.advanceTimersByTimeAsync(1000 / callsASecond);
  }
}

const need = { tokens: 2000 };
const actual: Amount = { usd: 0.004, tokens: 900 };

const call = {
  run,
  characters: 4000,
  maxCompletion: 500,
  concurrency: 'auto',
  deadlineMs: Infinity,
} as const;

it('tells an account every three seconds what each worker sees, however many calls it makes', async () => {
  const accounts = new FakeAccounts();
  const account = { workflowId: 'account/example', name: 'example.com' };
  const limiters = Array.from({ length: workers }, (_, worker) =>
    createAccountLimiter(accounts, account, `worker ${worker}`, createGuard(account.name)),
  );
  await asking((worker) => {
    void limiters[worker]?.wait({ ...call }, never);
  });
  expect(accounts.reports.length).toBeGreaterThan(workers);
  expect(accounts.reports.length).toBeLessThanOrEqual(workers * (1 + seconds / 3));
});

it.each([
  // A report every 15 seconds, and the first request.
  ['without a budget', noCap, workers * (1 + seconds / 15)],
  // A lease holds twice what is in flight, so a worker asks for more about as often as its calls take.
  ['with a budget', { usd: 1e6, tokens: 1e12 }, workers * seconds],
])('asks a run %s for leases no more often than the clock allows', async (_, cap, most) => {
  let ledger = openLedger(cap, noAmount);
  let requests = 0;
  const handle = {
    signal: (_signal: unknown, request: LeaseRequest) => {
      requests += 1;
      ledger = grantLease(ledger, request, Date.now()).ledger;
      return Promise.resolve();
    },
    query: (_query: unknown, id: string) => Promise.resolve(leaseSummary(ledger, id)),
  };
  const client = {
    workflow: { getHandle: () => handle },
    withDeadline: (_until: number, talk: () => Promise<unknown>) => talk(),
    // BudgetLease asks for nothing else.
  } as unknown as Client;
  const leases = Array.from(
    { length: workers },
    () => new BudgetLease(client, testHome, { kind: 'run', run }, () => undefined),
  );
  const isCapped = cap.tokens !== null;
  await asking((worker) => {
    void leases[worker]
      ?.reserve(() => callOf(need.tokens), never, isCapped)
      .then((reserved) => {
        if (reserved.kind === 'reserved') setTimeout(() => reserved.settle(actual, null), 1000);
      });
  });
  expect(requests).toBeLessThanOrEqual(most);
});
