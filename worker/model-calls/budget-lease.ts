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
import { runWorkflowId, type RunId } from '../../domain/ids.js';
import { leaseQuery, requestLeaseSignal } from '../../workflows/messages.js';
import type { Budgets, Reservation, Reserved } from './reserve.js';

/** Well below what a lease lives without being heard of. */
const reportEveryMs = 15_000;
/** How long nothing must happen before the lease is given back: a question's next turn is often near. */
const restMs = 2_000;
/** Longest that a call waits here for others to leave enough: then its question waits without a worker. */
const lineMs = 5 * 60_000;

/** Longer than a run takes to answer where a worker is there. */
const answerMs = 10_000;

const newLease = (): { readonly id: string; readonly requests: number } => ({
  id: randomUUID(),
  requests: 0,
});

interface InLine {
  readonly need: Amount;
  readonly resolve: (spending: Reserved) => void;
  readonly reject: (reason: Error) => void;
}

/** Leases from the workflow of each run what the calls of this worker may cost. */
export function leasedBudgets(client: Client): Budgets {
  const leases = new Map<RunId, BudgetLease>();

  function leaseOf(run: RunId): BudgetLease {
    const known = leases.get(run);
    if (known) return known;
    const fresh = new BudgetLease(client, run, () => leases.delete(run));
    leases.set(run, fresh);
    return fresh;
  }

  return { reserve: (run, need, signal, capped) => leaseOf(run).reserve(need, signal, capped) };
}

/** What this process may spend for one run, from its first call until no call was made for a while. */
export class BudgetLease {
  #lease = newLease();
  #purse: LeaseBalance = emptyBalance;
  #line: InLine[] = [];
  /** Calls that were let go and have not been settled. */
  #underWay = 0;
  /** Whether the run has a budget; null before it was asked, and once somebody's hand has ended it. */
  #capped: boolean | null = null;
  #asking: Promise<void> | null = null;
  #serving = false;
  #restingSince = performance.now();
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly client: Client,
    private readonly run: RunId,
    private readonly forget: () => void,
  ) {
    let askedAt = performance.now();
    this.#timer = setInterval(() => {
      if (this.#isAtRest()) return void this.#end();
      if (performance.now() - askedAt < reportEveryMs) return;
      askedAt = performance.now();
      this.#ask().catch(() => undefined); // The next report, or the next call, asks again.
    }, restMs / 2).unref();
  }

  /** @param capped - whether the run began with a budget, as its manifest says before its workflow answers */
  async reserve(need: () => Amount, signal: AbortSignal, capped: boolean): Promise<Reserved> {
    this.#restingSince = performance.now();
    if (capped) {
      if (this.#capped !== true) await this.#askAnew();
    } else if (this.#capped === null) {
      // A run whose worker was lost answers after seconds only. Whether it has got a budget is heard soon enough.
      this.#ask().catch(() => undefined);
      return this.#letGo(noAmount);
    }
    if (this.#capped === null) return { kind: 'no-run' };
    if (!this.#capped) return this.#letGo(noAmount);
    return this.#wait(need(), signal);
  }

  /** A budget that a run gets while it goes on is in its manifest before a report hears of it. */
  async #askAnew(): Promise<void> {
    // That may have been asked before there was one.
    await this.#asking?.catch(() => undefined);
    if (this.#capped !== true) await this.#ask();
  }

  #wait(need: Amount, signal: AbortSignal): Promise<Reserved> {
    return new Promise<Reserved>((resolve, reject) => {
      signal.throwIfAborted();
      const leave = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#line = this.#line.filter((other) => other !== place);
      };
      const place: InLine = {
        need,
        resolve: (spending) => {
          leave();
          resolve(spending);
        },
        reject: (reason) => {
          leave();
          reject(reason);
        },
      };
      const onAbort = (): void => place.reject(signal.reason as Error);
      const timer = setTimeout(() => place.resolve({ kind: 'refused', need }), lineMs).unref();
      signal.addEventListener('abort', onAbort);
      this.#line.push(place);
      void this.#serve();
    });
  }

  /** Lets those go, from the front, for which enough is held; asks for more where somebody is left. */
  async #serve(): Promise<void> {
    if (this.#serving) return;
    this.#serving = true;
    try {
      await this.#asking?.catch(() => undefined);
      this.#serveFront();
      while (this.#line.length > 0) {
        const last = this.#line.at(-1);
        await this.#ask();
        if (this.#capped === null) {
          for (const { resolve } of this.#line.splice(0)) resolve({ kind: 'no-run' });
          return;
        }
        this.#serveFront();
        // Those who came meanwhile are in no request yet.
        if (this.#line.length === 0 || this.#line.at(-1) !== last) continue;
        // Calls under way may leave something over when they are settled; without them nothing will.
        if (!isZero(this.#purse.reserved)) return;
        for (const { need, resolve } of this.#line.splice(0)) resolve({ kind: 'refused', need });
      }
    } catch (error) {
      for (const { reject } of this.#line.splice(0)) reject(error as Error);
    } finally {
      // At once with the last look at the line: whoever joins it from now on serves it.
      this.#serving = false;
    }
  }

  #serveFront(): void {
    if (this.#capped === null) return;
    for (let [first] = this.#line; first !== undefined; [first] = this.#line) {
      const purse = this.#capped ? reserve(this.#purse, first.need) : this.#purse;
      if (purse === null) return;
      this.#purse = purse;
      this.#line.shift();
      first.resolve(this.#letGo(this.#capped ? first.need : noAmount));
    }
  }

  #letGo(need: Amount): Reservation {
    this.#underWay += 1;
    return {
      kind: 'reserved',
      settle: (actual) => {
        this.#underWay -= 1;
        this.#restingSince = performance.now();
        this.#purse = settle(this.#purse, need, actual);
        void this.#serve();
      },
    };
  }

  /** One request at a time; nothing is taken from the purse meanwhile. */
  #ask(): Promise<void> {
    this.#asking ??= this.#askNow().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #askNow(): Promise<void> {
    const needs = this.#line.map(({ need }) => need);
    const lease = { ...this.#lease, requests: this.#lease.requests + 1 };
    const request = leaseRequest(this.#purse, lease, needs);
    const givesBack = isZero(request.wants);
    this.#lease = lease;
    const isOpen = await this.#tell(request);
    if (givesBack) {
      // Whether or not the answer is heard.
      this.#purse = balanceAfterReturn(this.#purse, request);
      this.#lease = newLease();
    }
    if (!isOpen) {
      this.#capped = null;
      return;
    }
    const standing = await this.#standing(request);
    this.#capped = standing.capped;
    if (!givesBack) this.#purse = applyGrant(this.#purse, request, standing);
  }

  /** False for a run that was ended by somebody's hand. */
  async #tell(request: LeaseRequest): Promise<boolean> {
    try {
      await this.#talk((run) => run.signal(requestLeaseSignal, request));
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw this.#unreachable(error);
    }
  }

  async #standing({ id, requests, wants }: LeaseRequest): Promise<LeaseGrant> {
    const standing = await this.#talk((run) => run.query(leaseQuery, id)).catch(
      (error: unknown) => {
        throw this.#unreachable(error);
      },
    );
    const isAnswered = standing !== null && (isZero(wants) || standing.requests === requests);
    if (!isAnswered) throw this.#unreachable(new Error('it has not taken the request'));
    return standing;
  }

  #talk<T>(about: (run: WorkflowHandle) => Promise<T>): Promise<T> {
    const run = this.client.workflow.getHandle(runWorkflowId(this.run));
    return this.client.withDeadline(Date.now() + answerMs, () => about(run));
  }

  #unreachable(cause: unknown): PortFailure {
    return new PortFailure(
      'RunUnreachable',
      `run ${this.run} cannot be asked for its budget at the moment`,
      { cause },
    );
  }

  #isAtRest(): boolean {
    const nothingToDo = this.#underWay === 0 && this.#line.length === 0 && this.#asking === null;
    return nothingToDo && performance.now() - this.#restingSince > restMs;
  }

  async #end(): Promise<void> {
    clearInterval(this.#timer);
    this.forget();
    // A lease that cannot be given back expires.
    await this.#ask().catch(() => undefined);
  }
}
