import type { RunId } from '../../domain/ids.js';
import type { RunTotals } from '../../domain/runs/run-totals.js';
import { exitStatus, UserError } from '../../domain/user-error.js';
import type { RunEnd } from '../runs/watch-run.js';
import { holdText, runStateText } from './run-text.js';

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
        `run ${run} is ${runStateText(run, 'cancelled', null)}; ${remedy}`,
        exitStatus.doneWithOutsideFailures,
      );
    case 'parked':
      throw new UserError(
        `run ${run} is ${runStateText(run, 'running', { kind: 'open', progress: end.progress, slow: [] })}: ${holdText(run, end.progress) ?? ''}; ${remedy}`,
        exitStatus.runWaits,
      );
    case 'failed':
      throw new UserError(
        `run ${run} is stopped: ${end.message}; ${remedy}`,
        exitStatus.serviceUnreachable,
      );
  }
}
