import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError, type Client, type WorkflowHandle } from '@temporalio/client';
import { PortFailure } from '../../activities/ports/port-failure.js';
import {
  isZero,
  noAmount,
  addBill,
  isKnown,
  mergeBills,
  noBills,
  reservationOf,
  worstCase,
  type Amount,
  type Bills,
  type CallSize,
  type Reservable,
} from '../../domain/budget/amount.js';
import {
  emptyBalance,
  leaseRequest,
  applyGrant,
  balanceAfterReturn,
  settle,
  reserve,
  unreserved,
  type LeaseGrant,
  type LeaseRequest,
  type LeaseBalance,
} from '../../domain/budget/ledger.js';
import type { HomeId } from '../../domain/home.js';
import { payerName, payerWorkflowId, type Payer } from '../../domain/ids.js';
import { leaseQuery, requestLeaseSignal } from '../../workflows/messages.js';
import type { Budgets, Reservation, Reserved } from './reserve.js';

/** Well below the time after which a lease without a report expires. */
const reportEveryMs = 15_000;
/** An idle lease is given back after this time. Not at once: the next turn of a question often follows soon. */
const idleMs = 2_000;
/** Longest wait for other calls to settle. After it, the question's workflow waits instead of the worker. */
const queueMs = 5 * 60_000;
/** A run that has a worker answers within this time. */
const answerMs = 10_000;

const newLease = (): { readonly id: string; readonly requests: number } => ({
  id: randomUUID(),
  requests: 0,
});

interface QueuedCall {
  readonly size: CallSize;
  readonly resolve: (reserved: Reserved) => void;
  readonly reject: (reason: Error) => void;
}

/** Leases parts of each run's budget from its workflow, for the calls of this worker. */
export function leasedBudgets(client: Client, home: HomeId): Budgets {
  const leases = new Map<string, BudgetLease>();

  function leaseOf(payer: Payer): BudgetLease {
    const key = payerName(payer);
    const known = leases.get(key);
    if (known) return known;
    const fresh = new BudgetLease(client, home, payer, () => leases.delete(key));
    leases.set(key, fresh);
    return fresh;
  }

  return { reserve: (payer, size, signal, capped) => leaseOf(payer).reserve(size, signal, capped) };
}

/** This process's lease of one run's budget, from its first call until it is idle. */
export class BudgetLease {
  #lease = newLease();
  #balance: LeaseBalance = emptyBalance;
  #queue: QueuedCall[] = [];
  /** Calls with a reservation that is not settled. */
  #inFlight = 0;
  /** Whether the run has a budget; null before it has answered, and once it is terminated. */
  #capped: boolean | null = null;
  #bills: Bills = noBills;
  /** The lease that may make a call of unknown cost. */
  #learner: LeaseGrant['learner'] = null;
  /** Whether a call of unknown cost is in flight here. */
  #learning = false;
  #requesting: Promise<void> | null = null;
  #serving = false;
  #lastUsedAt = performance.now();
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly client: Client,
    private readonly home: HomeId,
    private readonly payer: Payer,
    private readonly forget: () => void,
  ) {
    let requestedAt = performance.now();
    this.#timer = setInterval(() => {
      if (this.#isIdle()) return void this.#end();
      // Another worker does not say when it knows the cost that calls wait for.
      if (this.#learner === 'other') void this.#serve();
      if (performance.now() - requestedAt < reportEveryMs) return;
      requestedAt = performance.now();
      this.#request().catch(() => undefined); // The next report, or the next call, tries again.
    }, idleMs / 2).unref();
  }

  /** @param capped - whether the run has a budget according to its manifest */
  async reserve(size: () => CallSize, signal: AbortSignal, capped: boolean): Promise<Reserved> {
    this.#lastUsedAt = performance.now();
    if (capped) {
      if (this.#capped !== true) await this.#requestAgain();
    } else if (this.#capped === null) {
      // The call does not wait for the answer, which takes seconds if the run's worker was lost. A budget that the run
      // has been given since applies from the answer on.
      this.#request().catch(() => undefined);
      return this.#free(size);
    }
    if (this.#capped === null) return { kind: 'no-run' };
    if (!this.#capped) return this.#free(size);
    return this.#wait(size(), signal);
  }

  /** A running run that is given a budget has it in its manifest before the next report would return it. */
  async #requestAgain(): Promise<void> {
    // A request in flight may be older than the budget.
    await this.#requesting?.catch(() => undefined);
    if (this.#capped !== true) await this.#request();
  }

  #wait(size: CallSize, signal: AbortSignal): Promise<Reserved> {
    return new Promise<Reserved>((resolve, reject) => {
      signal.throwIfAborted();
      const leave = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#queue = this.#queue.filter((other) => other !== call);
      };
      const call: QueuedCall = {
        size,
        resolve: (reserved) => {
          leave();
          resolve(reserved);
        },
        reject: (reason) => {
          leave();
          reject(reason);
        },
      };
      const onAbort = (): void => call.reject(signal.reason as Error);
      const timer = setTimeout(() => call.resolve(this.#refusal(size)), queueMs).unref();
      signal.addEventListener('abort', onAbort);
      this.#queue.push(call);
      void this.#serve();
    });
  }

  #refusal(size: CallSize): Reserved {
    return { kind: 'refused', need: worstCase(size, this.#bills) };
  }

  /** Grants reservations first come, first served, while the balance covers them, and requests more for the others. */
  async #serve(): Promise<void> {
    if (this.#serving) return;
    this.#serving = true;
    try {
      await this.#requesting?.catch(() => undefined);
      this.#serveFront();
      while (this.#queue.length > 0) {
        const last = this.#queue.at(-1);
        await this.#request();
        if (this.#capped === null) {
          for (const { resolve } of this.#queue.splice(0)) resolve({ kind: 'no-run' });
          return;
        }
        this.#serveFront();
        // Calls that joined the queue meanwhile were not part of the request.
        if (this.#queue.length === 0 || this.#queue.at(-1) !== last) continue;
        // Calls in flight may cost less than they have reserved, here and where all that was free is held. Without any, the
        // balance cannot grow.
        if (!isZero(this.#balance.reserved) || this.#learner === 'other') return;
        for (const { size, resolve } of this.#queue.splice(0)) resolve(this.#refusal(size));
      }
    } catch (error) {
      for (const { reject } of this.#queue.splice(0)) reject(error as Error);
    } finally {
      // Nothing is awaited since the queue was checked, so that every later call starts this function again.
      this.#serving = false;
    }
  }

  /** A call of unknown cost lets others pass while another one is in flight, here or in another worker. */
  #serveFront(): void {
    if (this.#capped === null) return;
    for (const call of [...this.#queue]) {
      const reservable = this.#reservationOf(call.size);
      if (reservable.kind === 'refused') return;
      if (reservable.kind === 'waits') continue;
      this.#balance = reserve(this.#balance, reservable.need);
      call.resolve(this.#grant(call.size, reservable.need));
    }
  }

  #reservationOf(size: CallSize): Reservable {
    if (this.#capped === false) return { kind: 'reservable', need: noAmount };
    return reservationOf(size, this.#bills, {
      free: unreserved(this.#balance),
      mayLearn: this.#learner === 'this' && !this.#learning,
    });
  }

  #grant(size: CallSize, need: Amount): Reservation {
    const learns = this.#capped === true && !isKnown(size, this.#bills);
    const most = worstCase(size, this.#bills);
    this.#inFlight += 1;
    if (learns) this.#learning = true;
    return {
      kind: 'reserved',
      most: () => most,
      settle: (actual, billed) => {
        this.#inFlight -= 1;
        this.#lastUsedAt = performance.now();
        this.#balance = settle(this.#balance, need, actual);
        const bills = billed === null ? this.#bills : addBill(this.#bills, size, billed);
        // Other workers are to know the bill, or wait for what was held.
        const isNews = learns || bills !== this.#bills;
        this.#bills = bills;
        if (learns) this.#learning = false;
        if (isNews) this.#request().catch(() => undefined);
        void this.#serve();
      },
    };
  }

  /** A call of a run without a budget. Its size is not computed, as far as that can be avoided. */
  #free(size: () => CallSize): Reservation {
    this.#inFlight += 1;
    return {
      kind: 'reserved',
      most: () => worstCase(size(), this.#bills),
      settle: (actual) => {
        this.#inFlight -= 1;
        this.#lastUsedAt = performance.now();
        this.#balance = settle(this.#balance, noAmount, actual);
        void this.#serve();
      },
    };
  }

  /** One request at a time. The balance grants nothing while a request is in flight. */
  #request(): Promise<void> {
    this.#requesting ??= this.#requestNow().finally(() => {
      this.#requesting = null;
    });
    return this.#requesting;
  }

  async #requestNow(): Promise<void> {
    const sizes = this.#queue.map(({ size }) => size);
    const needs = sizes.map((size) => worstCase(size, this.#bills));
    const lease = { ...this.#lease, requests: this.#lease.requests + 1 };
    const learns = this.#learning || sizes.some((size) => !isKnown(size, this.#bills));
    const request = leaseRequest(this.#balance, { ...lease, learns, bills: this.#bills }, needs);
    const givesBack = isZero(request.wants);
    this.#lease = lease;
    if (givesBack) {
      // The lease is over, whatever becomes of the request: the run may have settled it although no acknowledgement came,
      // and one that it has not settled expires, after which the stored replies are counted.
      this.#balance = balanceAfterReturn(this.#balance, request);
      this.#lease = newLease();
    }
    const grant = await this.#ask(request);
    if (grant === null) {
      this.#capped = null;
      return;
    }
    this.#capped = grant.capped;
    this.#learner = grant.learner;
    this.#bills = mergeBills(this.#bills, grant.bills);
    if (!givesBack) this.#balance = applyGrant(this.#balance, request, grant);
  }

  /** Null if the run was terminated. Throws PortFailure (`RunUnreachable`) if it does not answer. */
  async #ask(request: LeaseRequest): Promise<LeaseGrant | null> {
    const { id, requests, wants } = request;
    try {
      await this.#call((run) => run.signal(requestLeaseSignal, request));
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      throw this.#unreachable(error);
    }
    const grant = await this.#call((run) => run.query(leaseQuery, id)).catch((error: unknown) => {
      throw this.#unreachable(error);
    });
    const isAnswered = grant !== null && (isZero(wants) || grant.requests === requests);
    if (!isAnswered) throw this.#unreachable(new Error('it has not processed the request'));
    return grant;
  }

  #call<T>(method: (run: WorkflowHandle) => Promise<T>): Promise<T> {
    const run = this.client.workflow.getHandle(payerWorkflowId(this.home, this.payer));
    return this.client.withDeadline(Date.now() + answerMs, () => method(run));
  }

  #unreachable(cause: unknown): PortFailure {
    const message = `${payerName(this.payer)} cannot be asked for its budget at the moment`;
    return new PortFailure('RunUnreachable', message, { cause });
  }

  #isIdle(): boolean {
    const isUnused = this.#inFlight === 0 && this.#queue.length === 0 && this.#requesting === null;
    return isUnused && performance.now() - this.#lastUsedAt > idleMs;
  }

  async #end(): Promise<void> {
    clearInterval(this.#timer);
    this.forget();
    // A lease that cannot be given back expires.
    await this.#request().catch(() => undefined);
  }
}
