import type { RetryPolicy } from '@temporalio/common';
import { proxyLocalActivities, sleep } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { LeftToQueue } from '../domain/questions/asked-here.js';
import type { CallSoFar } from '../domain/questions/call-so-far.js';
import type { BudgetStop, Deferral } from '../domain/questions/deferral.js';
import { firstRetryMs } from '../domain/questions/first-retry.js';
import type { ModelTurn } from '../domain/questions/model-turn.js';
import type { TurnRef } from '../domain/questions/question-ref.js';
import { failedActivity } from './activity-failure.js';
import { callArguments, callingActivities, type CallPolicy } from './paid-call.js';

/** Beyond a call's own time-out, to read and to write files. */
const marginMs = 60_000;

type Said = ModelTurn | Deferral | BudgetStop;

/** What a call came to in the worker that has the workflow. */
export type SaidHere = Said | LeftToQueue;

/** How long a call may take there. */
export const callHere = ({
  modelTimeoutMs,
}: CallPolicy): { readonly startToCloseTimeout: number; readonly retry: RetryPolicy } => ({
  startToCloseTimeout: modelTimeoutMs + marginMs,
  retry: { maximumAttempts: 1 },
});

/** A failure of the only try is to be the failure of an activity that the queue has seen. */
export const mayAskHere = ({ modelAttempts }: CallPolicy): boolean => modelAttempts > 1;

/** One turn's model call: once in the worker that has the workflow, where that is wanted, then through the queue. */
export async function askTurn(policy: CallPolicy, ref: TurnRef, here: boolean): Promise<Said> {
  if (!here || !mayAskHere(policy)) return askThroughQueue(policy, ref);
  const { askModel } = proxyLocalActivities<Activities>(callHere(policy));
  const said = await leftBy(() => askModel.executeWithOptions(optionsOf(ref), [ref]));
  return goOnFrom(policy, ref, said);
}

/** What was left to the queue is asked through it. */
export async function goOnFrom(policy: CallPolicy, ref: TurnRef, said: SaidHere): Promise<Said> {
  if (said.kind !== 'left-to-queue') return said;
  const { tries = 0, paid, afterMs } = said;
  if (afterMs !== undefined) await sleep(afterMs);
  return askThroughQueue(policy, ref, { tries, ...(paid && { paid }) });
}

async function leftBy(ask: () => Promise<SaidHere>): Promise<SaidHere> {
  try {
    return await ask();
  } catch (error) {
    const failure = failedActivity(error);
    if (failure === null || failure.final) throw error;
    return { kind: 'left-to-queue', because: failure.message, tries: 1, afterMs: firstRetryMs };
  }
}

/** @param soFar - what was done for the call elsewhere, or in earlier rounds of tries */
export async function askThroughQueue(
  policy: CallPolicy,
  ref: TurnRef,
  soFar?: CallSoFar,
): Promise<Said> {
  const { askModel } = callingActivities(policy, soFar);
  const said = await askModel.executeWithOptions(optionsOf(ref), callArguments(ref, soFar));
  return said as Said; // only a local activity leaves something to the queue
}

const optionsOf = ({ turn }: TurnRef): { readonly summary: string } => ({
  summary: `turn ${turn} · model`,
});
