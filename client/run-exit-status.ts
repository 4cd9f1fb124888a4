import { outsideFailures } from '../domain/runs/progress-text.js';
import type { RunTotals } from '../domain/runs/run-totals.js';
import { exitStatus } from './user-error.js';

/** Of a command that saw a run end. */
export const exitStatusOf = (totals: RunTotals): number =>
  outsideFailures(totals) > 0 ? exitStatus.doneWithOutsideFailures : exitStatus.done;
