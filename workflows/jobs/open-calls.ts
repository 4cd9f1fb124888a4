import { ActivityFailure } from '@temporalio/common';
import {
  condition,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
  type ActivityInterfaceFor,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import {
  add,
  capAsAmount,
  isCapped,
  isZero,
  noAmount,
  subtract,
  type Amount,
  type Cap,
} from '../../domain/budget/amount.js';
import { isKnown, reservationOf, worstCase, type CallSize } from '../../domain/budget/bills.js';
import { preview } from '../../domain/formats/text.js';
import { noAttempts, type CallAttempts } from '../../domain/models/call-attempts.js';
import { isTransient } from '../../domain/failure-type.js';
import { mostFailures } from '../../domain/runs/outages.js';
import type { Deferral } from '../../domain/runs/question-ref.js';
import {
  CallQueue,
  maxFailures,
  noProgress,
  recordCall,
  recordFailure,
  recordLost,
  type CallMade,
  type CallsProgress,
  type FoundCalls,
  type OpenCall,
} from '../../domain/scoring/open-calls.js';
import { callsQuery } from '../messages.js';
import { failedActivity, paidBefore } from '../activity-failure.js';
import { callWithRetries, outageOf } from '../model-call.js';
import { CircuitBreaker } from './circuit-breaker.js';

/** The wait before a deferred call whose provider names no time, such as that of an account without credit. */
const retryDeferredMs = 10 * 60_000;

export interface CallsInput {
  /** Number of cases. */
  readonly cases: number;
  /** Calls in flight. */
  readonly concurrency: number;
  /** For all calls together. */
  readonly budget: Cap;
  readonly modelTimeoutMs: number;
  readonly modelAttempts: number;
  /** Carried from an earlier history. */
  readonly progress?: CallsProgress;
}

/** The job that the calls belong to. */
export interface CallsJob {
  /** What a case is called, in the plural. */
  readonly cases: string;
  /** What earlier workflows have spent of the budget. Asked once, before the first history. */
  readonly spentBefore: () => Promise<Amount>;
  /** Looks for calls that are open, in the cases from `from` on. */
  readonly find: (from: number) => Promise<FoundCalls>;
  readonly make: (
    activities: ActivityInterfaceFor<Activities>,
    call: OpenCall,
    ...attempts: [] | [CallAttempts]
  ) => Promise<CallMade | Deferral>;
}

export interface CallsEnd {
  /** `history-full`: the workflow is to continue as new. `ended` also if the budget or too many failures stopped it. */
  readonly kind: 'ended' | 'history-full';
  readonly progress: CallsProgress;
}

/**
 * Makes the open calls of a job about stored answers, outside of a run. A reply is stored before its call counts as made, so
 * that a killed process pays for no call twice. The most that a call may cost is reserved before it, and no call exceeds the
 * budget: the job stops at the first call that the rest does not cover.
 */
export async function makeOpenCalls(input: CallsInput, job: CallsJob): Promise<CallsEnd> {
  const { cases, concurrency, budget } = input;
  const queue = new CallQueue();
  let progress = input.progress ?? noProgress;
  let next: number | null = progress.next;
  let reserved = noAmount;
  /** Whether a call of unknown cost is in flight. */
  let learning = false;
  let waits: string | null = null;
  const breaker = new CircuitBreaker();
  /** For each call that failed of something outside: how often, and how many calls had been made when it did first. */
  const hindered = new Map<string, { readonly times: number; readonly callsBefore: number }>();
  setHandler(callsQuery, () => ({
    ...progress,
    next: settled(),
    cases,
    waits: breaker.message ?? waits,
  }));
  if (!input.progress) progress = { ...progress, spent: await job.spentBefore() };
  await Promise.all([look(), ...Array.from({ length: concurrency }, lane)]);
  progress = { ...progress, next: settled() };
  return { kind: progress.next < cases && !isHalted() ? 'history-full' : 'ended', progress };

  /** All cases before this one need no call. */
  function settled(): number {
    return Math.min(next ?? cases, queue.firstCase);
  }

  function isHalted(): boolean {
    return progress.parked !== null || progress.failures.length >= maxFailures;
  }

  /** Calls in flight are still awaited then. */
  function startsNoMore(): boolean {
    return isHalted() || workflowInfo().continueAsNewSuggested;
  }

  /** Looks ahead, so that no lane waits for the next look. */
  async function look(): Promise<void> {
    while (next !== null) {
      await condition(() => startsNoMore() || queue.waiting < concurrency);
      if (startsNoMore()) return;
      const found = await job.find(next);
      queue.add(found.open, progress.failures);
      next = found.next;
      setCurrentDetails(
        `${settled()} of ${cases} ${job.cases}, ${progress.calls} calls, ${progress.failures.length} that failed`,
      );
    }
  }

  /** Makes one call after the other. */
  async function lane(): Promise<void> {
    const isOver = (): boolean => startsNoMore() || (next === null && queue.isEmpty);
    for (;;) {
      await condition(() => isOver() || queue.waiting > 0);
      if (isOver()) return;
      const call = queue.take();
      if (call === undefined) continue;
      const opened = await attempt(call);
      queue.settle(call, opened, progress.failures);
    }
  }

  /** Makes a call, and resolves to the calls that are open then: the same one if it could not be made now. */
  async function attempt(call: OpenCall): Promise<readonly OpenCall[]> {
    await breaker.untilAllowed(startsNoMore);
    const { size } = call;
    const need = await reserve(size);
    if (need === null) {
      if (!startsNoMore()) progress = { ...progress, parked: worstCase(size, progress.bills) };
      return [call];
    }
    const learns = !isKnown(size, progress.bills);
    if (learns) learning = true;
    const release = (): void => {
      reserved = subtract(reserved, need);
      if (learns) learning = false;
    };
    try {
      const made = await make(call);
      release();
      breaker.succeeded();
      if (made.kind === 'made') {
        progress = recordCall(progress, call, made);
        return made.opened;
      }
      waits = made.message;
      await condition(startsNoMore, made.retryAfterMs ?? retryDeferredMs);
      waits = null;
      return [call];
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      release();
      const message = preview(error.cause?.message ?? error.message, 300);
      const outage = outageOf(error);
      // What a person has to mend ends the job, which the same command then continues.
      if (outage !== null && isTransient(outage.failure) && !isHopeless(call)) {
        breaker.failed(message);
        progress = recordLost(progress, call, outage.failure);
        return [call];
      }
      breaker.succeeded();
      const failure = failedActivity(error)?.type ?? 'Unknown';
      progress = recordFailure(progress, call, failure, message);
      return [];
    }
  }

  /**
   * Makes a call. While its reply is paid for and cannot be stored, it is tried again: the lane, and what the call has reserved,
   * are kept until then, also while the history is full. Nothing but a halt of the job gives the reply up.
   */
  async function make(call: OpenCall): Promise<CallMade | Deferral> {
    for (let before = noAttempts; ;) {
      try {
        return await callWithRetries(
          input,
          (activities, ...attempts) => job.make(activities, call, ...attempts),
          before,
        );
      } catch (error) {
        before = paidBefore(error, before);
        const outage = outageOf(error);
        if (before.paid === undefined || outage === null || isHalted()) throw error;
        if (!isTransient(outage.failure) || isHopeless(call)) throw error;
        breaker.failed(preview(outage.message, 300));
        await breaker.untilAllowed(isHalted);
      }
    }
  }

  /** Notes that a call failed of something outside. True where others succeed again and again, so that waiting does not help. */
  function isHopeless({ index, member }: OpenCall): boolean {
    const key = `${index} ${member}`;
    const { times, callsBefore } = hindered.get(key) ?? { times: 0, callsBefore: progress.calls };
    hindered.set(key, { times: times + 1, callsBefore });
    return times + 1 >= mostFailures && progress.calls - callsBefore >= mostFailures;
  }

  /** Resolves to what was reserved. It waits while calls in flight may free some of the budget. Null where that is too small. */
  async function reserve(size: CallSize): Promise<Amount | null> {
    const reservable = (): ReturnType<typeof reservationOf> =>
      reservationOf(size, progress.bills, {
        free: subtract(capAsAmount(budget), add(progress.spent, reserved)),
        mayLearn: !learning || !isCapped(budget),
      });
    for (;;) {
      await condition(
        () => reservable().kind === 'reservable' || isZero(reserved) || startsNoMore(),
      );
      if (startsNoMore()) return null;
      const found = reservable();
      if (found.kind === 'reservable') {
        reserved = add(reserved, found.need);
        return found.need;
      }
      // Another call may have reserved first.
      if (isZero(reserved)) return null;
    }
  }
}
