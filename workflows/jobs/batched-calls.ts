import { ApplicationFailure } from '@temporalio/common';
import {
  continueAsNew,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { worstCase } from '../../domain/budget/amount.js';
import { affordable, openLedger } from '../../domain/budget/ledger.js';
import { isTransient } from '../../domain/failure-type.js';
import { preview } from '../../domain/formats/text.js';
import {
  isFailed,
  maxFailures,
  noProgress,
  recordCall,
  recordFailure,
  sampleOfCall,
  type CallsProgress,
  type OpenCall,
} from '../../domain/scoring/open-calls.js';
import { callsQuery } from '../messages.js';
import { longestPause } from '../run-batches.js';
import { forAWeek, queued } from '../scheduling.js';
import type { CallsInput, CallsJob } from './open-calls.js';

const { advanceBatch, collectCalls } = queued('1 hour', forAWeek);

/** Calls whose answers one activity looks for. */
const takenAtOnce = 100;
/** Calls that one activity collects: a message to one may have 2 MB. */
const collectedAtOnce = 5_000;

/**
 * The same as `makeOpenCalls`, in batches: all calls that are open and that the budget covers are sent together, and waited for.
 * What they open is sent with the next ones. A batch that is open when the workflow ends is found again by the next one of
 * the job.
 */
export async function makeBatchedCalls(
  input: CallsInput,
  job: CallsJob,
  batches: NonNullable<CallsInput['batches']>,
): Promise<CallsProgress> {
  const { cases, budget, modelAttempts } = input;
  const { folder, pauseMs, asking = workflowInfo().startTime.getTime() } = batches;
  const owner = { folder, modelAttempts, asking };
  let progress = input.progress ?? noProgress;
  let waits: string | null = null;
  setHandler(callsQuery, () => ({ ...progress, cases, waits }));
  if (!input.progress) progress = { ...progress, spent: await job.spentBefore() };
  for (;;) {
    const open = await findAll();
    progress = { ...progress, next: open[0]?.index ?? cases };
    setCurrentDetails(
      `${progress.next} of ${cases} ${job.names[0]}s, ${progress.calls} calls, ${progress.failures.length} that failed`,
    );
    const needs = open.map(({ size }) => worstCase(size, progress.bills));
    const covered = open.slice(0, affordable(openLedger(budget, progress.spent), needs));
    if (covered.length === 0) return { ...progress, parked: needs[0] ?? null };
    await waitFor(await takeAll(covered));
    if (progress.failures.length >= maxFailures) return progress;
    if (workflowInfo().continueAsNewSuggested)
      return continueAsNew<(input: CallsInput) => Promise<unknown>>({
        ...{ ...input, progress },
        batches: { ...batches, asking },
      });
  }

  async function findAll(): Promise<readonly OpenCall[]> {
    const open: OpenCall[] = [];
    for (let next: number | null = progress.next; next !== null;) {
      const found = await job.find(next);
      open.push(...found.open.filter((call) => !isFailed(progress, call)));
      next = found.next;
    }
    return open.sort((one, other) => one.index - other.index);
  }

  /** Stores what was answered. Resolves to the calls that wait, each with the number of its batch if it is in one. */
  async function takeAll(calls: readonly OpenCall[]): Promise<readonly Waiting[]> {
    const waiting: Waiting[] = [];
    for (let from = 0; from < calls.length; from += takenAtOnce) {
      const some = calls.slice(from, from + takenAtOnce);
      const names = some.map(({ index, member, key }) => ({ index, member, key }));
      const taken = await job.takeAnswers({ calls: names, owner });
      for (const [at, result] of taken.entries()) {
        const call = some[at];
        if (call === undefined) continue;
        if (result.kind === 'made') progress = recordCall(progress, call, result);
        else if (result.kind === 'deferred') waiting.push({ call, batch: result.batch });
        else {
          const message = preview(result.message, 300);
          progress = recordFailure(progress, call, result.failure, message);
        }
      }
    }
    return waiting;
  }

  async function waitFor(waiting: readonly Waiting[]): Promise<void> {
    const numbers = new Set(waiting.flatMap(({ batch }) => batch ?? []));
    const keys = waiting.flatMap(({ call, batch }) =>
      batch === undefined ? [sampleOfCall(call)] : [],
    );
    for (let from = 0; from < keys.length; from += collectedAtOnce) {
      const some = keys.slice(from, from + collectedAtOnce);
      const made = await collectCalls({ owner, keys: some, seed: workflowInfo().runId });
      for (const { number } of made.batches) numbers.add(number);
    }
    await Promise.all([...numbers].map(watch));
    waits = null;
  }

  async function watch(number: number): Promise<void> {
    for (let pause = pauseMs; ; pause = Math.min(2 * pause, longestPause * pauseMs)) {
      const { spent, waits: why } = await advanceBatch({ owner, number });
      if (spent !== null) return;
      const { reason, message, failure = 'Unknown', retryAfterMs } = why;
      // What a person has to mend ends the job, which the same command then continues.
      if (reason === 'outage' && !isTransient(failure))
        throw ApplicationFailure.nonRetryable(message, failure);
      waits = message;
      await sleep(retryAfterMs ?? pause);
    }
  }
}

interface Waiting {
  readonly call: OpenCall;
  readonly batch: number | undefined;
}
