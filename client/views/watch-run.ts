import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { CancelledFailure, rootCause } from '@temporalio/common';
import { isZero } from '../../domain/budget/amount.js';
import type { RunTotals } from '../../domain/runs/run-totals.js';
import type { RunProgress } from '../../domain/runs/run-progress.js';
import { progressQuery } from '../../workflows/messages.js';
import type { RunHandle } from '../runs/start-run.js';

const pollMs = 500;
/** Looks in a row to which nobody answers, before it is asked whether anybody ever will. */
const silentLooks = 10;
/** Looks at a run that all find it parked, before it is believed: a lease that comes back may free some budget. */
const parkedLooks = 10;

export interface RunWatcher {
  readonly onProgress: (progress: RunProgress) => void | Promise<void>;
  /** The server or every worker is out of reach at the moment; the run is not lost. */
  readonly onSilence: (reason: string) => void;
  /** Whether there is nothing left to watch once nothing goes on. @defaultValue false */
  readonly leavesWhenParked?: boolean;
  /** Asked of a run that does not answer: whether no worker can go on with it. */
  readonly isStuck?: () => Promise<boolean>;
  /** Between two looks. @defaultValue 500 */
  readonly pollMs?: number;
}

export type RunEnd =
  | { readonly kind: 'done'; readonly totals: RunTotals }
  | { readonly kind: 'cancelled' }
  /** Not at its end, but nothing goes on until somebody lets it. */
  | { readonly kind: 'parked'; readonly progress: RunProgress }
  /** No worker can go on with its workflow. */
  | { readonly kind: 'stuck' }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Follows a run to its end, through restarts of the server and of workers. After that, and after `interrupted`
 * rejects, the watcher is told no more.
 */
export async function watchRun(
  handle: RunHandle,
  watcher: RunWatcher,
  interrupted: Promise<never>,
): Promise<RunEnd> {
  const over = new AbortController();
  const ended = endOf(handle, watcher, over.signal);
  const watching = reportProgress(handle, watcher, over.signal);
  const left = watching.then((standstill) => standstill ?? ended);
  // When a run is left that stands still, nobody waits for its end.
  ended.catch(() => undefined);
  left.catch(() => undefined);
  const end = await Promise.race([ended, interrupted, left]).finally(() => over.abort());
  // Whoever closes the connection next must find no query under way.
  await watching;
  return end;
}

/** A pause is somebody's wish, and over when they say so. */
const waitsForSomebody = ({ summary: { parked, heldBy, budget } }: RunProgress): boolean =>
  parked && heldBy !== 'paused' && (heldBy !== 'budget' || isZero(budget.reserved));

async function endOf(handle: RunHandle, watcher: RunWatcher, over: AbortSignal): Promise<RunEnd> {
  for (;;) {
    try {
      return { kind: 'done', totals: await handle.result() };
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

/** Until it is over, which is null, or the run is left because it stands still. */
async function reportProgress(
  handle: RunHandle,
  watcher: RunWatcher,
  over: AbortSignal,
): Promise<RunEnd | null> {
  for (let looks = 0, silent = 0; ;) {
    const seen = await lookAt(handle, over);
    // What was seen after the run's end is old news, and a failure then is none.
    if (over.aborted) return null;
    if (typeof seen === 'string') {
      watcher.onSilence(seen);
      silent += 1;
      if (silent % silentLooks === 0 && (await watcher.isStuck?.())) return { kind: 'stuck' };
    } else {
      await watcher.onProgress(seen);
      silent = 0;
      looks = waitsForSomebody(seen) ? looks + 1 : 0;
      if (watcher.leavesWhenParked && looks >= parkedLooks)
        return { kind: 'parked', progress: seen };
    }
    await sleep(watcher.pollMs ?? pollMs, undefined, { signal: over }).catch(() => undefined);
  }
}

/** Given up once it is over, since a worker has to replay a run that has ended before it answers; else what went wrong. */
async function lookAt(handle: RunHandle, over: AbortSignal): Promise<RunProgress | string> {
  if (over.aborted) return 'it is over';
  const look = new AbortController();
  const giveUp = (): void => look.abort();
  // The client would leave a listener behind at each look.
  over.addEventListener('abort', giveUp, { once: true });
  try {
    return await handle.client.withAbortSignal(look.signal, () => handle.query(progressQuery));
  } catch (error) {
    return messageOf(error);
  } finally {
    over.removeEventListener('abort', giveUp);
  }
}

/** The cause says what the client's own errors only hint at. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
