import type { RunId } from '../../domain/ids.js';
import type { RunTotals } from '../../domain/runs/run-totals.js';
import { exitStatus, UserError } from '../../domain/user-error.js';
import type { RunEnd } from '../runs/watch-run.js';
import { holdText, summaryText } from './run-text.js';

/**
 * The totals of a run that is done. Throws UserError where the run failed, was cancelled, or waits for a command.
 * @param again - the command that continues it
 */
export function totalsOf(
  run: RunId,
  end: RunEnd,
  again = `\`turnwise run\` with the same arguments and --run ${run}`,
): RunTotals {
  const remedy = `what has ended is kept, and ${again} continues it`;
  switch (end.kind) {
    case 'done':
      return end.totals;
    case 'cancelled':
      throw new UserError(
        `run ${run} was cancelled; ${remedy}`,
        exitStatus.doneWithOutsideFailures,
      );
    case 'parked':
      throw new UserError(
        `run ${run} waits, ${summaryText(end.progress.summary)}: ${holdText(run, end.progress) ?? ''}; ${remedy}`,
        exitStatus.runWaits,
      );
    case 'failed':
      throw new UserError(
        `run ${run} stopped: ${end.message}; ${remedy}`,
        exitStatus.serviceUnreachable,
      );
  }
}
