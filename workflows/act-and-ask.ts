import { proxyLocalActivities } from '@temporalio/workflow';
import type { ActedAndAsked } from '../activities/act-and-ask.js';
import type { Activities } from '../activities/index.js';
import type { TurnRef } from '../domain/questions/question-ref.js';
import { failedActivity } from './activity-failure.js';
import { callHere } from './ask-turn.js';
import type { CallPolicy } from './paid-call.js';
import type { Steering } from './question-steering.js';

/**
 * A turn's action and the call of the turn after it, as one activity of the worker that has the workflow. Null where
 * that came to nothing, or a pause or a stop took hold of it: each is to be done by itself then, as far as it is not
 * stored.
 */
export async function actAndAsk(
  policy: CallPolicy,
  steering: Steering,
  ref: TurnRef,
  summary: string,
): Promise<ActedAndAsked> {
  const activities = proxyLocalActivities<Activities>(callHere(policy));
  try {
    return await steering.interruptible(() =>
      activities.actAndAsk.executeWithOptions({ summary }, [ref]),
    );
  } catch (error) {
    const failure = failedActivity(error);
    if (failure === null || failure.final) throw error;
    return null;
  }
}
