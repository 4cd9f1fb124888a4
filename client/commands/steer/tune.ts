import type { Command } from 'commander';
import { runIdSchema, type RunId } from '../../../domain/ids.js';
import type { Tuning } from '../../../domain/runs/tuning.js';
import { UserError } from '../../../domain/user-error.js';
import { tuneRun } from '../../runs/steering/steer-run.js';
import { printSummary, tunedText } from '../../views/print-summary.js';
import { parseArgument } from '../shared/arguments.js';
import { addLimitOptions, tuningOf, type LimitFlags } from '../shared/limit-options.js';

interface TuneFlags extends LimitFlags {
  readonly json?: true;
}

export function registerTune(program: Command): void {
  addLimitOptions(
    program
      .command('tune')
      .description('change the limits of a run that is under way')
      .argument('<run>', 'the run', parseArgument(runIdSchema)),
  )
    .option('--json', 'one JSON document')
    .action(tune);
}

async function tune(run: RunId, flags: TuneFlags): Promise<void> {
  const tuning: Tuning = tuningOf(flags);
  if (Object.keys(tuning).length === 0) {
    throw new UserError(
      'nothing is to be tuned: give --concurrency, --budget-usd, --budget-tokens or --deadline',
    );
  }
  const summary = await tuneRun(run, tuning);
  printSummary(run, summary, flags.json, tunedText(summary));
}
