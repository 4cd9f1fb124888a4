import { proxyLocalActivities, sleep } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { CallSoFar, LeftToQueue } from '../domain/questions/asked-here.js';
import type { BudgetStop, Deferral } from '../domain/questions/deferral.js';
import { firstRetryMs } from '../domain/questions/first-retry.js';
import type { ModelTurn } from '../domain/questions/model-turn.js';
import type { TurnRef } from '../domain/questions/question-ref.js';
import { failedActivity } from './activity-failure.js';
import { callingActivities, type CallPolicy } from './paid-call.js';

/** Beyond a call's own time-out, to read and to write files. */
const marginMs = 60_000;

type Said = ModelTurn | Deferral | BudgetStop;

/** One turn's model call: once in the worker that has the workflow, where that is wanted, then through the queue. */
export async function askTurn(policy: CallPolicy, ref: TurnRef, here: boolean): Promise<Said> {
  const options = { summary: `turn ${ref.turn} · model` };
  // A failure of the only try is to be the failure of an activity that the queue has seen.
  if (!here || policy.modelAttempts === 1) return askThroughQueue(policy, ref, options);
  const { askModel } = proxyLocalActivities<Activities>({
    startToCloseTimeout: policy.modelTimeoutMs + marginMs,
    retry: { maximumAttempts: 1 },
  });
  const left = await leftBy(() => askModel.executeWithOptions(options, [ref]));
  if (left.kind !== 'left-to-queue') return left;
  const { tries = 0, paid, afterMs } = left;
  if (afterMs !== undefined) await sleep(afterMs);
  const modelAttempts = policy.modelAttempts - tries;
  return askThroughQueue({ ...policy, modelAttempts }, ref, options, {
    tries,
    ...(paid && { paid }),
  });
}

async function leftBy(ask: () => Promise<Said | LeftToQueue>): Promise<Said | LeftToQueue> {
  try {
    return await ask();
  } catch (error) {
    const failure = failedActivity(error);
    if (failure === null || failure.final) throw error;
    return { kind: 'left-to-queue', because: failure.message, tries: 1, afterMs: firstRetryMs };
  }
}

async function askThroughQueue(
  policy: CallPolicy,
  ref: TurnRef,
  options: { readonly summary: string },
  soFar?: CallSoFar,
): Promise<Said> {
  const { askModel } = callingActivities(policy);
  const said = await askModel.executeWithOptions(options, soFar ? [ref, soFar] : [ref]);
  return said as Said; // only a local activity leaves something to the queue
}
