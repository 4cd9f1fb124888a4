import { Context } from '@temporalio/activity';
import type { ActionTurn } from '../domain/questions/action-turn.js';
import { actsHereMs, type LeftToQueue } from '../domain/questions/asked-here.js';
import type { BudgetStop, Deferral } from '../domain/questions/deferral.js';
import type { ModelTurn } from '../domain/questions/model-turn.js';
import type { TurnRef } from '../domain/questions/question-ref.js';

/** Null for an action that failed here, or took too long, after which nothing was asked. */
export type ActedAndAsked = {
  readonly seen: ActionTurn;
  /** What the model said in the turn after it, or why it was not asked here. */
  readonly said: ModelTurn | Deferral | BudgetStop | LeftToQueue;
} | null;

/**
 * Carries out the action of a turn's stored reply, then makes the call of the turn after it: in the worker that has the
 * question's workflow one activity costs half of what two do. Both store what they come to, so that it may be repeated.
 * @param mostMs - for the action
 */
export function createActAndAsk(
  takeAction: (turn: TurnRef, giveUp: AbortSignal) => Promise<ActionTurn>,
  askModel: (turn: TurnRef) => Promise<ModelTurn | Deferral | BudgetStop | LeftToQueue>,
  mostMs = actsHereMs,
): (turn: TurnRef) => Promise<ActedAndAsked> {
  return async function actAndAsk(ref) {
    const seen = await takenHere(() => takeAction(ref, AbortSignal.timeout(mostMs)));
    return seen && { seen, said: await askModel({ ...ref, turn: ref.turn + 1 }) };
  };
}

/** The queue has the tries for an action that fails, and the time for one that takes long. */
async function takenHere(take: () => Promise<ActionTurn>): Promise<ActionTurn | null> {
  try {
    return await take();
  } catch (error) {
    if (Context.current().cancellationSignal.aborted) throw error;
    return null;
  }
}
