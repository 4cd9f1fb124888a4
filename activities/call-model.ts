import { nothing, type Amount } from '../domain/budget/amount.js';
import type { RunId } from '../domain/ids.js';
import { dollars } from '../domain/models/cost.js';
import { costOfCall, type Price } from '../domain/models/price.js';
import { worstCase } from '../domain/models/worst-case.js';
import type { Deferral } from '../domain/questions/deferral.js';
import { amountOfReply } from './count-spent.js';
import { whileHeartbeating } from './heartbeat.js';
import type { ModelPort, ModelReply, ModelRequest } from './ports/model.js';
import { PortFailure } from './ports/port-failure.js';
import type { SpendingPort } from './ports/spending.js';

export interface CallModelPorts {
  readonly model: ModelPort;
  readonly spending: SpendingPort;
}

export interface PaidReply {
  readonly kind: 'reply';
  readonly reply: ModelReply;
  /** US dollars; null where the price or the tokens are not known. */
  readonly costUsd: number | null;
}

/** One model call within its run's budget, tried once. One that may not be made now is deferred. Throws PortFailure. */
export const callModel = (
  { model, spending }: CallModelPorts,
  run: RunId,
  request: ModelRequest,
  price: Price | null,
): Promise<PaidReply | Deferral> =>
  whileHeartbeating(async (signal, tell) => {
    const need = (): Amount => worstCase(request, price);
    tell('waits for the budget');
    const reservation = await spending.reserve(run, need, signal);
    if (reservation.kind === 'refused') return overBudget(reservation.need);
    tell('calls the model');
    let actual: Amount = nothing;
    try {
      const reply = await model.complete(request, signal);
      const costUsd = reply.cacheHit ? 0 : costOfCall(reply.tokens, price);
      actual = amountOfReply({ ...reply, costUsd, cacheHit: reply.cacheHit ?? false });
      return { kind: 'reply', reply, costUsd };
    } catch (error) {
      if (mayBePaid(error, signal)) actual = need();
      const deferral = deferralOf(error);
      if (deferral === null) throw error;
      return deferral;
    } finally {
      reservation.settle(actual);
    }
  });

const overBudget = (need: Amount): Deferral => ({
  kind: 'deferred',
  reason: 'budget',
  message: `The run's budget leaves less than the ${dollars(need.usd)} and ${need.tokens} tokens that the next call may cost.`,
  retryAfterMs: null,
  need,
});

/** A provider that asks to be left alone for longer than this is waited for without a worker. */
const longWaitMs = 60_000;

/** A failure that is a matter of waiting; null for others. */
function deferralOf(error: unknown): Deferral | null {
  if (!(error instanceof PortFailure)) return null;
  const { type, message, options } = error;
  const retryAfterMs = options.retryAfterMs ?? null;
  if (type === 'ModelQuotaSpent')
    return { kind: 'deferred', reason: 'quota', message, retryAfterMs };
  return type === 'ModelRateLimited' && retryAfterMs !== null && retryAfterMs > longWaitMs
    ? { kind: 'deferred', reason: 'rate-limit', message, retryAfterMs }
    : null;
}

/** Whether a call that came to nothing may be charged all the same: it was sent, and nobody knows what became of it. */
const mayBePaid = (error: unknown, signal: AbortSignal): boolean =>
  signal.aborted || (error instanceof PortFailure && error.options.mayBePaid === true);
