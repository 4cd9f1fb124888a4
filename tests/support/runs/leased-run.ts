import type { Client } from '@temporalio/client';
import { add, noAmount, type Amount, type Cap } from '../../../domain/budget/amount.js';
import {
  grantLease,
  leaseSummary,
  openLedger,
  spentOf,
  heldOf,
  type LeaseRequest,
  type LeaseSummary,
  type Ledger,
} from '../../../domain/budget/ledger.js';

/** The ledger of a run without its workflow, and a client through which workers lease from it. */
export class LeasedRun {
  ledger: Ledger;
  readonly client: Client;

  constructor(cap: Cap) {
    this.ledger = openLedger(cap, noAmount);
    const handle = {
      signal: (_: unknown, request: LeaseRequest): Promise<void> => {
        const crossed = JSON.parse(JSON.stringify(request)) as LeaseRequest;
        this.ledger = grantLease(this.ledger, crossed, Date.now()).ledger;
        return Promise.resolve();
      },
      query: (_: unknown, lease: string): Promise<LeaseSummary> =>
        Promise.resolve(leaseSummary(this.ledger, lease)),
    };
    this.client = {
      workflow: { getHandle: () => handle },
      withDeadline: (_: number, talk: () => Promise<unknown>) => talk(),
      // A lease asks for nothing else.
    } as unknown as Client;
  }

  raise(cap: Cap): void {
    this.ledger = { ...this.ledger, cap };
  }

  /** What is spent or held, as the run knows it. */
  get committed(): Amount {
    return add(spentOf(this.ledger), heldOf(this.ledger));
  }
}
