import type { GraphPort } from '../../activities/ports/tools.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { noAmount } from '../../domain/budget/amount.js';
import { reserve, type Budgets } from './reserve.js';

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
