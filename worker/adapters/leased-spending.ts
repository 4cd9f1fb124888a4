import type { Client } from '@temporalio/client';
import type { SpendingPort } from '../../activities/ports/spending.js';
import type { RunId } from '../../domain/ids.js';
import { LeasedRun } from './leased-run.js';

/** Leases what the calls of this worker may cost from the workflow of their run. */
export function createLeasedSpending(client: Client): SpendingPort {
  const runs = new Map<RunId, LeasedRun>();

  function leased(run: RunId): LeasedRun {
    const known = runs.get(run);
    if (known) return known;
    const fresh = new LeasedRun(client, run, () => runs.delete(run));
    runs.set(run, fresh);
    return fresh;
  }

  return { reserve: (run, need, signal, began) => leased(run).reserve(need, signal, began) };
}
