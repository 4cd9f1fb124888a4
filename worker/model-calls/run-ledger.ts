import { WorkflowNotFoundError, type Client, type WorkflowHandle } from '@temporalio/client';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { isZero } from '../../domain/budget/amount.js';
import type { LeaseGrant, LeaseRequest } from '../../domain/budget/ledger.js';
import type { HomeId } from '../../domain/home.js';
import { payerName, payerWorkflowId, type Payer } from '../../domain/ids.js';
import { leaseQuery, requestLeaseSignal } from '../../workflows/messages.js';

/** A run that has a worker answers within this time. */
const answerMs = 10_000;

/** The ledger of a run or a dataset, which its workflow keeps. Its methods throw PortFailure (`RunUnreachable`) if the run does not answer. */
export class RunLedger {
  constructor(
    private readonly client: Client,
    private readonly home: HomeId,
    private readonly payer: Payer,
  ) {}

  /** False if the run was terminated. */
  async send(request: LeaseRequest): Promise<boolean> {
    try {
      await this.#call((run) => run.signal(requestLeaseSignal, request));
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw this.#unreachable(error);
    }
  }

  /** What the request that was sent came to. */
  async grantFor({ id, requests, wants }: LeaseRequest): Promise<LeaseGrant> {
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
    return new PortFailure(
      'RunUnreachable',
      `${payerName(this.payer)} cannot be asked for its budget at the moment`,
      { cause },
    );
  }
}
