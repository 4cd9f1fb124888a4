import type { CallStage, ModelPort, ModelRequest } from '../../activities/ports/model.js';
import type { GraphPort } from '../../activities/ports/tools.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import {
  noAmount,
  noBills,
  worstCase,
  type Amount,
  type CallSize,
} from '../../domain/budget/amount.js';
import { amountOfReply, costOfReply } from '../../domain/runs/spent-amount.js';
import { payerName, type Payer } from '../../domain/ids.js';
import { dollars } from '../../domain/models/usage.js';
import { sizeOf } from '../../domain/budget/call-size.js';

export interface Reservation {
  readonly kind: 'reserved';
  /** The highest possible cost of the call. It reserves more where the cost is unknown. */
  readonly most: () => Amount;
  /**
   * Replaces the reserved amount by the actual cost. To be called once.
   * @param billed - prompt tokens, or dollars of a graph query; null if the bill is unknown
   */
  readonly settle: (actual: Amount, billed: number | null) => void;
}

/** `refused`: the budget leaves less than `need`. `no-run`: the run's workflow, which holds its budget, was terminated. */
export type Reserved =
  Reservation | { readonly kind: 'refused'; readonly need: Amount } | { readonly kind: 'no-run' };

/** The budgets of runs. Throws PortFailure (`RunUnreachable`), with nothing reserved, if a run does not answer. */
export interface Budgets {
  /**
   * Reserves the highest possible cost of a call. It waits if calls in flight may leave enough.
   * @param size - called only if the run has a budget, or `most` is
   * @param capped - whether the run began with a budget. Calls of a run without one do not wait for the run's answer
   */
  readonly reserve: (
    payer: Payer,
    size: () => CallSize,
    signal: AbortSignal,
    capped: boolean,
  ) => Promise<Reserved>;
}

/** How long a call is deferred if its run does not answer. */
const runRetryMs = 15_000;

/** The first link of a model call: reserves its highest possible cost from the run's budget, and settles its actual cost. */
export const reserving =
  (budgets: Budgets) =>
  (next: ModelPort): ModelPort => ({
    complete: async (request, signal, report) => {
      report?.('waits for the budget');
      const reservation = await reserve(budgets, request, () => sizeOf(request), signal);
      let stage: CallStage = 'calls the model';
      report?.(stage);
      let actual = noAmount;
      let billed: number | null = null;
      try {
        const reply = await next.complete(request, signal, (now, failed) => {
          stage = now;
          report?.(now, failed);
        });
        actual = amountOfReply({
          ...reply,
          cacheHit: reply.cacheHit ?? false,
          ...costOfReply(request, reply),
        });
        if (!reply.cacheHit) billed = reply.tokens?.prompt ?? null;
        return reply;
      } catch (error) {
        if (mayBePaid(error, signal, stage)) actual = reservation.most();
        throw error;
      } finally {
        reservation.settle(actual, billed);
      }
    },
  });

/**
 * Queries of the graph program count towards the budget of the run that asks. What a query costs is known afterwards: the
 * first one of a run reserves all that is left, and later ones the most that one has cost.
 */
export const reservingGraph =
  (budgets: Budgets) =>
  (next: GraphPort): GraphPort => ({
    query: async (request, signal) => {
      const reservation = await reserve(budgets, request, () => ({ kind: 'graph' }), signal);
      let actual = noAmount;
      let billed: number | null = null;
      try {
        const answer = await next.query(request, signal);
        // A program that does not say costs nothing, as a model without a price does.
        billed = answer.costUsd ?? 0;
        actual = { usd: billed, tokens: 0 };
        return answer;
      } catch (error) {
        if (mayHaveCost(error, signal)) actual = reservation.most();
        throw error;
      } finally {
        reservation.settle(actual, billed);
      }
    },
  });

/** Whether the program ran, and did not ask to be tried again. */
const mayHaveCost = (error: unknown, signal: AbortSignal): boolean =>
  signal.aborted || (error instanceof PortFailure && error.type === 'GraphProgramFailed');

/** Throws PortFailure (`ModelDeferred`) if the budget is too small, or the run cannot be asked. */
async function reserve(
  budgets: Budgets,
  { run, dataset, capped = false }: Pick<ModelRequest, 'run' | 'dataset' | 'capped'>,
  size: () => CallSize,
  signal: AbortSignal,
): Promise<Reservation> {
  const free: Reservation = {
    kind: 'reserved',
    most: () => worstCase(size(), noBills),
    settle: () => undefined,
  };
  const payer: Payer | null =
    run !== undefined
      ? { kind: 'run', run }
      : dataset !== undefined
        ? { kind: 'dataset', dataset }
        : null;
  if (payer === null) return free;
  const reserved = await budgets.reserve(payer, size, signal, capped).catch((error: unknown) => {
    throw isUnreachable(error) ? deferredByRun(error.message) : error;
  });
  switch (reserved.kind) {
    case 'reserved':
      return reserved;
    case 'refused':
      throw overBudget(payer, reserved.need);
    case 'no-run':
      if (!capped) return free;
      throw deferredByRun(
        `${payerName(payer)} was terminated, and its budget is not managed: ${
          payer.kind === 'run' ? '`turnwise run`' : '`turnwise dataset build`'
        } with the same arguments continues it`,
      );
  }
}

const overBudget = ({ kind }: Payer, need: Amount): PortFailure =>
  new PortFailure(
    'ModelDeferred',
    `The ${kind}'s budget leaves less than the ${dollars(need.usd)} and ${need.tokens} tokens that the next call may cost.`,
    { reason: 'budget', need },
  );

const isUnreachable = (error: unknown): error is PortFailure =>
  error instanceof PortFailure && error.type === 'RunUnreachable';

/** A run that does not answer may be starting, or moving to another worker. */
const deferredByRun = (message: string): PortFailure =>
  new PortFailure('ModelDeferred', message, { reason: 'run', retryAfterMs: runRetryMs });

/** Whether the provider may charge a call without a reply: it was sent, and may have been processed. */
const mayBePaid = (error: unknown, signal: AbortSignal, stage: CallStage): boolean =>
  (signal.aborted && stage === 'calls the model') ||
  (error instanceof PortFailure && error.options.mayBePaid === true);
