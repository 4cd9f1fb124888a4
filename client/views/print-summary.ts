import type { RunId } from '../../domain/ids.js';
import type { RunSummary } from '../../domain/runs/run-progress.js';
import { outsideFailures, type RunTotals } from '../../domain/runs/run-totals.js';
import { exitStatus } from '../../domain/user-error.js';

/** Prints the result of a command that steers a run: one line, or the run's summary as one JSON document. */
export function printSummary(
  run: RunId,
  summary: RunSummary,
  json: true | undefined,
  sentence: string,
): void {
  console.log(json ? JSON.stringify({ run, ...summary }, null, 1) : `run ${run} ${sentence}`);
}

/** The exit status of a command that waited for the end of a run. */
export const exitStatusOf = (totals: RunTotals): number =>
  outsideFailures(totals) > 0 ? exitStatus.doneWithOutsideFailures : exitStatus.done;
