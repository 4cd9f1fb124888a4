import type { RunId } from '../../domain/ids.js';
import type { RunSummary } from '../../domain/runs/run-progress.js';
import { outsideFailures, type RunTotals } from '../../domain/runs/run-totals.js';
import { exitStatus } from '../../domain/user-error.js';

/** The answer of a command that steers: one line, or where the run is as one JSON document. */
export function printSummary(
  run: RunId,
  summary: RunSummary,
  json: true | undefined,
  sentence: string,
): void {
  console.log(json ? JSON.stringify({ run, ...summary }, null, 1) : `run ${run} ${sentence}`);
}

/** Of a command that saw a run end. */
export const exitStatusOf = (totals: RunTotals): number =>
  outsideFailures(totals) > 0 ? exitStatus.doneWithOutsideFailures : exitStatus.done;
