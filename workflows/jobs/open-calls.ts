import {
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  add,
  capAsAmount,
  isCapped,
  isZero,
  noAmount,
  subtract,
  isKnown,
  reservationOf,
  worstCase,
  type Amount,
  type Cap,
  type CallSize,
} from '../../domain/budget/amount.js';
import { preview } from '../../domain/formats/text.js';
import { noAttempts, type CallAttempts } from '../../domain/models/call-attempts.js';
import { isTransient } from '../../domain/failure-type.js';
import type { Deferral } from '../../domain/runs/question-ref.js';
import {
  CallQueue,
  maxFailures,
  noProgress,
  recordCall,
  recordFailure,
  type CallMade,
  type CallsProgress,
  type FoundCalls,
  type OpenCall,
} from '../../domain/scoring/open-calls.js';
import { callsQuery } from '../messages.js';
import { failedActivity } from '../activity-failure.js';
import { callWithRetries, orDeferral, type Deferred, type ScheduleCall } from '../model-call.js';
import type { BatchedCallsInput, TakenCall } from '../../activities/questions/call-attempt.js';
import type { ScheduledActivities } from '../scheduling.js';

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
  /** Absent where calls are sent at once. */
  readonly batches?: {
    /** For their files, in the storage of the runs. */
    readonly folder: string;
    /** Until one is looked at first. */
    readonly pauseMs: number;
    /** Carried from an earlier history (`JobOwner`). */
    readonly asking?: number;
  };
  /** Carried from an earlier history. */
  readonly progress?: CallsProgress;
}

/** The job that the calls belong to. */
export interface CallsJob {
  /** What earlier workflows have spent of the budget. Asked once, before the first history. */
  readonly spentBefore: () => Promise<Amount>;
  /** Looks for calls that are open, in the cases from `from` on. */
  readonly find: (from: number) => Promise<FoundCalls>;
  /** What a case and a member are called. */
  readonly names: readonly [index: string, member: string];
  readonly make: (
    activities: ScheduledActivities,
    options: { readonly summary: string },
    call: Omit<OpenCall, 'size'>,
    ...attempts: [] | [CallAttempts]
  ) => Promise<CallMade | Deferral>;
  /** Stores what batches have answered to calls of it. */
  readonly takeAnswers: (input: BatchedCallsInput) => Promise<readonly TakenCall[]>;
}

/**
 * Makes the open calls of a job about stored answers, outside of a run. A reply is stored before its call counts as made, so
 * that a killed process pays for no call twice. The most that a call may cost is reserved before it, and no call exceeds the
 * budget: the job stops at the first call that the rest does not cover. Resolves when the job has ended, or the budget or too
 * many failures have stopped it. Its workflow continues as new where the history is full.
 */
export async function makeOpenCalls(input: CallsInput, job: CallsJob): Promise<CallsProgress> {
  const { cases, concurrency, budget } = input;
  const queue = new CallQueue();
  let progress = input.progress ?? noProgress;
  let next: number | null = progress.next;
  let reserved = noAmount;
  /** Whether a call of unknown cost is in flight. */
  let learning = false;
  let waits: string | null = null;
  setHandler(callsQuery, () => ({ ...progress, next: settled(), cases, waits }));
  if (!input.progress) progress = { ...progress, spent: await job.spentBefore() };
  await Promise.all([look(), ...Array.from({ length: concurrency }, lane)]);
  progress = { ...progress, next: settled() };
  if (progress.next >= cases || isHalted()) return progress;
  return continueAsNew<(input: CallsInput) => Promise<unknown>>({ ...input, progress });

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
        `${settled()} of ${cases} ${job.names[0]}s, ${progress.calls} calls, ${progress.failures.length} that failed`,
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

  /** Makes a call, and resolves to the calls that are open then: the same one if the job ends before it could be made. */
  async function attempt(call: OpenCall): Promise<readonly OpenCall[]> {
    let release: (() => void) | null = null;
    for (let before = noAttempts; ;) {
      // A reply that is paid for and could not be stored keeps what it has reserved.
      release ??= await reserve(call.size);
      if (release === null) {
        if (!startsNoMore())
          progress = { ...progress, parked: worstCase(call.size, progress.bills) };
        return [call];
      }
      const made = await makeOrFail(call, before);
      if (made.kind === 'made') {
        release();
        progress = recordCall(progress, call, made);
        return made.opened;
      }
      before = made.attempts ?? noAttempts;
      const isOver = before.paid === undefined ? startsNoMore : isHalted;
      if (before.paid === undefined || isOver()) {
        release();
        release = null;
      }
      // What a person has to mend ends the job, which the same command then continues.
      const isToMend = made.reason === 'outage' && !isTransient(made.failure ?? 'Unknown');
      const message = preview(made.message, 300);
      if (made.kind === 'failed' || isToMend || before.failed >= input.modelAttempts) {
        release?.();
        progress = recordFailure(progress, call, made.failure ?? 'Unknown', message);
        return [];
      }
      waits = message;
      await condition(isOver, made.retryAfterMs ?? retryDeferredMs);
      waits = null;
      if (isOver()) {
        release?.();
        return [call];
      }
    }
  }

  async function makeOrFail(
    call: OpenCall,
    before: CallAttempts,
  ): Promise<CallMade | Deferred | (Omit<Deferred, 'kind'> & { readonly kind: 'failed' })> {
    const { index, member, key } = call;
    const summary = `${job.names[0]} ${index + 1}, ${job.names[1]} ${member + 1}`;
    const make: ScheduleCall<CallMade | Deferral> = (activities, ...attempts) =>
      job.make(activities, { summary }, { index, member, key }, ...attempts);
    try {
      return await orDeferral((attempts) => callWithRetries(input, make, attempts), before);
    } catch (error) {
      const failed = failedActivity(error);
      if (failed === null) throw error;
      const { type, message } = failed;
      const failure = type ?? 'Unknown';
      return { kind: 'failed', reason: 'outage', failure, message, retryAfterMs: null };
    }
  }

  /**
   * Reserves the cost of a call, and resolves to what releases it again. It waits while calls in flight may free some of the
   * budget. Null where that is too small.
   */
  async function reserve(size: CallSize): Promise<(() => void) | null> {
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
        const { need } = found;
        const learns = !isKnown(size, progress.bills);
        reserved = add(reserved, need);
        if (learns) learning = true;
        return () => {
          reserved = subtract(reserved, need);
          if (learns) learning = false;
        };
      }
      // Another call may have reserved first.
      if (isZero(reserved)) return null;
    }
  }
}
