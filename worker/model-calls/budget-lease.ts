import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError, type Client, type WorkflowHandle } from '@temporalio/client';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { isZero, noAmount, type Amount } from '../../domain/budget/amount.js';
import {
  emptyBalance,
  leaseRequest,
  applyGrant,
  balanceAfterReturn,
  settle,
  reserve,
  type LeaseGrant,
  type LeaseRequest,
  type LeaseBalance,
} from '../../domain/budget/ledger.js';
import type { HomeId } from '../../domain/home.js';
import { runWorkflowId, type RunId } from '../../domain/ids.js';
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
  readonly need: Amount;
  readonly resolve: (reserved: Reserved) => void;
  readonly reject: (reason: Error) => void;
}

/** Leases parts of each run's budget from its workflow, for the calls of this worker. */
export function leasedBudgets(client: Client, home: HomeId): Budgets {
  const leases = new Map<RunId, BudgetLease>();

  function leaseOf(run: RunId): BudgetLease {
    const known = leases.get(run);
    if (known) return known;
    const fresh = new BudgetLease(client, home, run, () => leases.delete(run));
    leases.set(run, fresh);
    return fresh;
  }

  return { reserve: (run, need, signal, capped) => leaseOf(run).reserve(need, signal, capped) };
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
  #requesting: Promise<void> | null = null;
  #serving = false;
  #lastUsedAt = performance.now();
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly client: Client,
    private readonly home: HomeId,
    private readonly run: RunId,
    private readonly forget: () => void,
  ) {
    let requestedAt = performance.now();
    this.#timer = setInterval(() => {
      if (this.#isIdle()) return void this.#end();
      if (performance.now() - requestedAt < reportEveryMs) return;
      requestedAt = performance.now();
      this.#request().catch(() => undefined); // The next report, or the next call, tries again.
    }, idleMs / 2).unref();
  }

  /** @param capped - whether the run has a budget according to its manifest */
  async reserve(need: () => Amount, signal: AbortSignal, capped: boolean): Promise<Reserved> {
    this.#lastUsedAt = performance.now();
    if (capped) {
      if (this.#capped !== true) await this.#requestAgain();
    } else if (this.#capped === null) {
      // The call does not wait for the answer, which takes seconds if the run's worker was lost. A budget that the run
      // has been given since applies from the answer on.
      this.#request().catch(() => undefined);
      return this.#grant(noAmount);
    }
    if (this.#capped === null) return { kind: 'no-run' };
    if (!this.#capped) return this.#grant(noAmount);
    return this.#wait(need(), signal);
  }

  /** A running run that is given a budget has it in its manifest before the next report would return it. */
  async #requestAgain(): Promise<void> {
    // A request in flight may be older than the budget.
    await this.#requesting?.catch(() => undefined);
    if (this.#capped !== true) await this.#request();
  }

  #wait(need: Amount, signal: AbortSignal): Promise<Reserved> {
    return new Promise<Reserved>((resolve, reject) => {
      signal.throwIfAborted();
      const leave = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#queue = this.#queue.filter((other) => other !== call);
      };
      const call: QueuedCall = {
        need,
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
      const timer = setTimeout(() => call.resolve({ kind: 'refused', need }), queueMs).unref();
      signal.addEventListener('abort', onAbort);
      this.#queue.push(call);
      void this.#serve();
    });
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
        // Calls in flight may cost less than they have reserved. Without any, the balance cannot grow.
        if (!isZero(this.#balance.reserved)) return;
        for (const { need, resolve } of this.#queue.splice(0)) resolve({ kind: 'refused', need });
      }
    } catch (error) {
      for (const { reject } of this.#queue.splice(0)) reject(error as Error);
    } finally {
      // Nothing is awaited since the queue was checked, so that every later call starts this function again.
      this.#serving = false;
    }
  }

  #serveFront(): void {
    if (this.#capped === null) return;
    for (let [first] = this.#queue; first !== undefined; [first] = this.#queue) {
      const balance = this.#capped ? reserve(this.#balance, first.need) : this.#balance;
      if (balance === null) return;
      this.#balance = balance;
      this.#queue.shift();
      first.resolve(this.#grant(this.#capped ? first.need : noAmount));
    }
  }

  #grant(need: Amount): Reservation {
    this.#inFlight += 1;
    return {
      kind: 'reserved',
      settle: (actual) => {
        this.#inFlight -= 1;
        this.#lastUsedAt = performance.now();
        this.#balance = settle(this.#balance, need, actual);
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
    const needs = this.#queue.map(({ need }) => need);
    const lease = { ...this.#lease, requests: this.#lease.requests + 1 };
    const request = leaseRequest(this.#balance, lease, needs);
    const givesBack = isZero(request.wants);
    this.#lease = lease;
    if (givesBack) {
      // The lease is over, whatever becomes of the request: the run may have settled it although no acknowledgement came,
      // and one that it has not settled expires, after which the stored replies are counted.
      this.#balance = balanceAfterReturn(this.#balance, request);
      this.#lease = newLease();
    }
    const isOpen = await this.#send(request);
    if (!isOpen) {
      this.#capped = null;
      return;
    }
    const grant = await this.#grantFor(request);
    this.#capped = grant.capped;
    if (!givesBack) this.#balance = applyGrant(this.#balance, request, grant);
  }

  /** False if the run was terminated. */
  async #send(request: LeaseRequest): Promise<boolean> {
    try {
      await this.#call((run) => run.signal(requestLeaseSignal, request));
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw this.#unreachable(error);
    }
  }

  async #grantFor({ id, requests, wants }: LeaseRequest): Promise<LeaseGrant> {
    const grant = await this.#call((run) => run.query(leaseQuery, id)).catch((error: unknown) => {
      throw this.#unreachable(error);
    });
    const isAnswered = grant !== null && (isZero(wants) || grant.requests === requests);
    if (!isAnswered) throw this.#unreachable(new Error('it has not processed the request'));
    return grant;
  }

  #call<T>(method: (run: WorkflowHandle) => Promise<T>): Promise<T> {
    const run = this.client.workflow.getHandle(runWorkflowId(this.home, this.run));
    return this.client.withDeadline(Date.now() + answerMs, () => method(run));
  }

  #unreachable(cause: unknown): PortFailure {
    return new PortFailure(
      'RunUnreachable',
      `run ${this.run} cannot be asked for its budget at the moment`,
      { cause },
    );
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
