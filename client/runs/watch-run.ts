import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { CancelledFailure, rootCause } from '@temporalio/common';
import { isZero } from '../../domain/budget/amount.js';
import type { RunTotals } from '../../domain/runs/run-totals.js';
import type { RunProgress } from '../../domain/runs/run-progress.js';
import { progressQuery } from '../../workflows/messages.js';
import { resultOf } from './restarted.js';
import type { RunHandle } from './start-run.js';

const pollMs = 500;
/** After so many failed queries in a row, `whyStuck` is asked. */
const failedQueries = 10;
/** So many queries in a row must find the run parked: a lease that is returned may free some budget. */
const parkedQueries = 10;

/** Receives what a watched run reports. */
export interface RunWatcher {
  readonly onProgress: (progress: RunProgress) => void | Promise<void>;
  /** The server or every worker is unreachable at the moment; the run continues once they are back. */
  readonly onSilence: (reason: string) => void;
}

interface WatchOptions {
  /** Whether to stop watching a run that waits for a user's command. @defaultValue false */
  readonly leavesWhenParked?: boolean;
  /** Why no worker can go on with the run's workflow; null where one can. Asked about a run that does not answer. */
  readonly whyStuck?: () => Promise<string | null>;
  /** Between two queries. @defaultValue 500 */
  readonly pollMs?: number;
}

export type RunEnd =
  | { readonly kind: 'done'; readonly totals: RunTotals }
  | { readonly kind: 'cancelled' }
  /** Not ended: it waits for a user's command. */
  | { readonly kind: 'parked'; readonly progress: RunProgress }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Watches a run to its end, through restarts of the server and of workers. Once this promise has settled, the watcher is
 * not called any more.
 */
export async function watchRun(
  handle: RunHandle,
  watcher: RunWatcher & WatchOptions,
  interrupted: Promise<never>,
): Promise<RunEnd> {
  const over = new AbortController();
  const ended = endOf(handle, watcher, over.signal);
  const polling = pollProgress(handle, watcher, over.signal);
  const endedOrLeft = polling.then((left) => left ?? ended);
  // Nobody awaits these two when the other one settles first.
  ended.catch(() => undefined);
  endedOrLeft.catch(() => undefined);
  const end = await Promise.race([ended, interrupted, endedOrLeft]).finally(() => over.abort());
  // The caller may close the connection next: no query may be in flight then.
  await polling;
  return end;
}

/** A paused run is left only by the user, who knows about the pause. */
const waitsForCommand = ({ summary: { parked, heldBy, budget } }: RunProgress): boolean =>
  parked && heldBy !== 'paused' && (heldBy !== 'budget' || isZero(budget.reserved));

async function endOf(handle: RunHandle, watcher: RunWatcher, over: AbortSignal): Promise<RunEnd> {
  for (;;) {
    try {
      return { kind: 'done', totals: await resultOf(handle) };
    } catch (error) {
      if (error instanceof WorkflowFailedError && error.cause instanceof CancelledFailure)
        return { kind: 'cancelled' };
      if (error instanceof WorkflowFailedError)
        return { kind: 'failed', message: rootCause(error) ?? error.message };
      if (error instanceof WorkflowNotFoundError || over.aborted) throw error;
      watcher.onSilence(messageOf(error));
      await sleep(pollMs);
    }
  }
}

/** Null once watching is over; the end of a run that is left before it has ended. */
async function pollProgress(
  handle: RunHandle,
  watcher: RunWatcher & WatchOptions,
  over: AbortSignal,
): Promise<RunEnd | null> {
  for (let parked = 0, failed = 0; ;) {
    const answer = await queryProgress(handle, over);
    // Progress from before the end is out of date, and a failure after it is none.
    if (over.aborted) return null;
    if (typeof answer === 'string') {
      watcher.onSilence(answer);
      failed += 1;
      const message = failed % failedQueries === 0 ? await watcher.whyStuck?.() : null;
      if (message) return { kind: 'failed', message };
    } else {
      await watcher.onProgress(answer);
      failed = 0;
      parked = waitsForCommand(answer) ? parked + 1 : 0;
      if (watcher.leavesWhenParked && parked >= parkedQueries)
        return { kind: 'parked', progress: answer };
    }
    await sleep(watcher.pollMs ?? pollMs, undefined, { signal: over }).catch(() => undefined);
  }
}

/**
 * The run's progress, or why the query failed. Aborted when watching is over: a worker would have to replay the ended
 * run before it answers.
 */
async function queryProgress(handle: RunHandle, over: AbortSignal): Promise<RunProgress | string> {
  if (over.aborted) return 'watching is over';
  const query = new AbortController();
  const abort = (): void => query.abort();
  // Not `over` itself: the client leaves a listener on its signal at each query.
  over.addEventListener('abort', abort, { once: true });
  try {
    return await handle.client.withAbortSignal(query.signal, () => handle.query(progressQuery));
  } catch (error) {
    return messageOf(error);
  } finally {
    over.removeEventListener('abort', abort);
  }
}

/** The client's own errors are general; their cause is specific. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
