import type { CallStage, ModelPort, ModelRequest } from '../../activities/ports/model.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { noAmount, type Amount } from '../../domain/budget/amount.js';
import { amountOfReply, costOfReply } from '../../domain/runs/spent-amount.js';
import type { RunId } from '../../domain/ids.js';
import { dollars } from '../../domain/models/usage.js';
import { worstCase } from '../../domain/budget/worst-case.js';

/** A call that may be made. */
export interface Reservation {
  readonly kind: 'reserved';
  /** Tells what the call came to, once. */
  readonly settle: (actual: Amount) => void;
}

/** `refused`: the budget leaves less than `need`. `no-run`: the run was terminated, and nobody keeps its budget. */
export type Reserved =
  Reservation | { readonly kind: 'refused'; readonly need: Amount } | { readonly kind: 'no-run' };

/** The budgets of runs. Throws PortFailure (`RunUnreachable`) where a run cannot be asked: nothing is spent then. */
export interface Budgets {
  /**
   * Reserves what a call may cost, and waits where calls under way may leave enough.
   * @param need - only computed where the run has a budget
   * @param capped - whether the run began with a budget: without one, calls go on though the run cannot be asked
   */
  readonly reserve: (
    run: RunId,
    need: () => Amount,
    signal: AbortSignal,
    capped: boolean,
  ) => Promise<Reserved>;
}

/** After which a run that did not answer is asked again. */
const runRetryMs = 15_000;

/** The first link: reserves the most that a call may cost from its run's budget, and settles what it came to. */
export const reserving =
  (budgets: Budgets) =>
  (next: ModelPort): ModelPort => ({
    complete: async (request, signal, tell) => {
      const need = (): Amount => worstCase(request, request.price);
      tell?.('waits for the budget');
      const reservation = await reserve(budgets, request, need, signal);
      let stage: CallStage = 'calls the model';
      tell?.(stage);
      let actual = noAmount;
      try {
        const reply = await next.complete(request, signal, (now) => {
          stage = now;
          tell?.(now);
        });
        actual = amountOfReply({
          ...reply,
          cacheHit: reply.cacheHit ?? false,
          ...costOfReply(request, reply),
        });
        return reply;
      } catch (error) {
        if (mayBePaid(error, signal, stage)) actual = need();
        throw error;
      } finally {
        reservation.settle(actual);
      }
    },
  });

async function reserve(
  budgets: Budgets,
  { run, capped = false }: ModelRequest,
  need: () => Amount,
  signal: AbortSignal,
): Promise<Reservation> {
  const free: Reservation = { kind: 'reserved', settle: () => undefined };
  if (run === undefined) return free;
  const reserved = await budgets.reserve(run, need, signal, capped).catch((error: unknown) => {
    throw isUnreachable(error) ? deferredByRun(error.message) : error;
  });
  switch (reserved.kind) {
    case 'reserved':
      return reserved;
    case 'refused':
      throw overBudget(reserved.need);
    case 'no-run':
      if (!capped) return free;
      throw deferredByRun(
        `run ${run} was terminated, and nobody keeps its budget: \`turnwise run\` with the same arguments continues it`,
      );
  }
}

const overBudget = (need: Amount): PortFailure =>
  new PortFailure(
    'ModelDeferred',
    `The run's budget leaves less than the ${dollars(need.usd)} and ${need.tokens} tokens that the next call may cost.`,
    { reason: 'budget', need },
  );

const isUnreachable = (error: unknown): error is PortFailure =>
  error instanceof PortFailure && error.type === 'RunUnreachable';

/** A run that does not answer is being started, or moved to another worker. */
const deferredByRun = (message: string): PortFailure =>
  new PortFailure('ModelDeferred', message, { reason: 'run', retryAfterMs: runRetryMs });

/** Whether a call without a reply may be charged: it was sent, and its fate is unknown. */
const mayBePaid = (error: unknown, signal: AbortSignal, stage: CallStage): boolean =>
  (signal.aborted && stage === 'calls the model') ||
  (error instanceof PortFailure && error.options.mayBePaid === true);
