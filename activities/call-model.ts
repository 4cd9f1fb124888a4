import { nothing, type Amount } from '../domain/budget/amount.js';
import { amountOfReply } from '../domain/budget/spent-amount.js';
import { dollars } from '../domain/models/cost.js';
import { costOfCall, type Price } from '../domain/models/price.js';
import { worstCase } from '../domain/models/worst-case.js';
import type { Deferral } from '../domain/questions/deferral.js';
import type { CallTry } from './call-try.js';
import { withPatience } from './patience.js';
import type { CallStage, ModelPort, ModelReply, ModelRequest } from './ports/model.js';
import { PortFailure } from './ports/port-failure.js';
import type { Spending } from './ports/spending.js';

export interface PaidReply {
  readonly kind: 'reply';
  readonly reply: ModelReply;
  /** US dollars; null where the price or the tokens are not known. */
  readonly costUsd: number | null;
  /** Of a budget, where the provider reports no usage. */
  readonly charged?: Amount;
}

/** Sets aside what a call costs at worst. */
export type Reserve = (need: () => Amount, signal: AbortSignal) => Promise<Spending>;

/**
 * One model call within a budget, tried once. One that may not be made now is deferred. Throws PortFailure, and NotAtOnce
 * where it would have to wait for longer than `patienceMs` before it is sent.
 * @param attempt - is told what the call is at, and says when it is no longer wanted
 * @param patienceMs - null for as long as it takes
 */
export const callModel = (
  model: ModelPort,
  reserve: Reserve,
  request: ModelRequest,
  price: Price | null,
  attempt: Pick<CallTry<unknown>, 'signal' | 'tell'>,
  patienceMs: number | null = null,
): Promise<PaidReply | Deferral> =>
  withPatience(patienceMs, attempt.signal, (signal, waits) =>
    callOnce(model, reserve, request, price, signal, (stage) => {
      waits(stage !== 'calls the model');
      attempt.tell(stage);
    }),
  );

async function callOnce(
  model: ModelPort,
  reserve: Reserve,
  request: ModelRequest,
  price: Price | null,
  signal: AbortSignal,
  tell: (stage: CallStage | 'waits for the budget') => void,
): Promise<PaidReply | Deferral> {
  const need = (): Amount => worstCase(request, price);
  tell('waits for the budget');
  const reservation = await reserve(need, signal).catch(waitForRun);
  if (reservation.kind === 'deferred') return reservation;
  if (reservation.kind === 'refused') return overBudget(reservation.need);
  let stage: CallStage = 'calls the model';
  let actual: Amount = nothing;
  const note = (next: CallStage): void => {
    stage = next;
    tell(next);
  };
  tell(stage);
  try {
    const reply = await model.complete(request, signal, note);
    const costUsd = reply.cacheHit ? 0 : costOfCall(reply.tokens, price);
    const charged = reply.tokens === null && !reply.cacheHit ? { charged: need() } : {};
    actual = amountOfReply({ ...reply, costUsd, cacheHit: reply.cacheHit ?? false, ...charged });
    return { kind: 'reply', reply, costUsd, ...charged };
  } catch (error) {
    if (mayBePaid(error, signal, stage)) actual = need();
    const deferral = deferralOf(error);
    if (deferral === null) throw error;
    return deferral;
  } finally {
    reservation.settle(actual);
  }
}

const overBudget = (need: Amount): Deferral => ({
  kind: 'deferred',
  reason: 'budget',
  message: `The run's budget leaves less than the ${dollars(need.usd)} and ${need.tokens} tokens that the next call may cost.`,
  retryAfterMs: null,
  need,
});

/** After which a run that did not answer is asked again. */
const runPatienceMs = 15_000;

/** A run that is not there to be asked is being started, or moved to another worker. Others are rethrown. */
function waitForRun(error: unknown): Deferral {
  if (!(error instanceof PortFailure) || error.type !== 'RunUnreachable') throw error;
  return { kind: 'deferred', reason: 'run', message: error.message, retryAfterMs: runPatienceMs };
}

/** A failure that is a matter of waiting; null for others. */
function deferralOf(error: unknown): Deferral | null {
  if (!(error instanceof PortFailure) || error.type !== 'ModelDeferred') return null;
  const { reason = 'rate-limit', retryAfterMs = null } = error.options;
  return { kind: 'deferred', reason, message: error.message, retryAfterMs };
}

/** Whether a call that came to nothing may be charged all the same: it was sent, and nobody knows what became of it. */
const mayBePaid = (error: unknown, signal: AbortSignal, stage: CallStage): boolean =>
  (signal.aborted && stage === 'calls the model') ||
  (error instanceof PortFailure && error.options.mayBePaid === true);
