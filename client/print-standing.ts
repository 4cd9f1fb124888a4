import type { RunId } from '../domain/ids.js';
import type { RunStanding } from '../domain/runs/run-progress.js';

/** The answer of a command that steers: one line, or where the run is as one JSON document. */
export function printStanding(
  run: RunId,
  standing: RunStanding,
  json: true | undefined,
  sentence: string,
): void {
  console.log(json ? JSON.stringify({ run, ...standing }, null, 1) : `run ${run} ${sentence}`);
}
