import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { rootCause } from '@temporalio/common';
import type { RunTotals } from '../domain/runs/run-totals.js';
import type { RunProgress } from '../domain/runs/run-progress.js';
import { progressQuery } from '../workflows/messages.js';
import type { RunHandle } from './start-run.js';

const pollMs = 500;

export interface RunWatcher {
  readonly onProgress: (progress: RunProgress) => void;
  /** The server or every worker is out of reach at the moment; the run is not lost. */
  readonly onSilence: (reason: string) => void;
}

export type RunEnd =
  | { readonly kind: 'done'; readonly totals: RunTotals }
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
  const watching = reportProgress(handle, watcher, over.signal);
  const end = await Promise.race([endOf(handle, watcher, over.signal), interrupted]).finally(() =>
    over.abort(),
  );
  // Whoever closes the connection next must find no query under way.
  await watching;
  return end;
}

async function endOf(handle: RunHandle, watcher: RunWatcher, over: AbortSignal): Promise<RunEnd> {
  for (;;) {
    try {
      return { kind: 'done', totals: await handle.result() };
    } catch (error) {
      if (error instanceof WorkflowFailedError)
        return { kind: 'failed', message: rootCause(error) ?? error.message };
      if (error instanceof WorkflowNotFoundError || over.aborted) throw error;
      watcher.onSilence(messageOf(error));
      await sleep(pollMs);
    }
  }
}

async function reportProgress(
  handle: RunHandle,
  watcher: RunWatcher,
  over: AbortSignal,
): Promise<void> {
  for (;;) {
    const look = await handle.query(progressQuery).then(
      (progress) => () => watcher.onProgress(progress),
      (error: unknown) => () => watcher.onSilence(messageOf(error)),
    );
    // What was seen after the run's end is old news, and a failure then is none.
    if (over.aborted) return;
    look();
    await sleep(pollMs, undefined, { signal: over }).catch(() => undefined);
  }
}

/** The cause says what the client's own errors only hint at. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
