import type { RunId } from '../domain/ids.js';
import type { RunSummary } from '../domain/runs/run-progress.js';

/** The answer of a command that steers: one line, or where the run is as one JSON document. */
export function printSummary(
  run: RunId,
  summary: RunSummary,
  json: true | undefined,
  sentence: string,
): void {
  console.log(json ? JSON.stringify({ run, ...summary }, null, 1) : `run ${run} ${sentence}`);
}
