import type { Command } from 'commander';
import { runIdSchema, type RunId } from '../../../domain/ids.js';
import { jsonOption, type FlagsOf } from '../../../domain/option.js';
import type { Tuning } from '../../../domain/runs/tuning.js';
import { UserError } from '../../../domain/user-error.js';
import { tuneRun } from '../../runs/steering/steer-run.js';
import { printSummary, tunedText } from '../../views/print-summary.js';
import { addOptions, parseArgument } from '../shared/arguments.js';
import { limitOptions, tuningOf } from '../shared/limit-options.js';

const tuneOptions = { ...limitOptions, ...jsonOption };

export function registerTune(program: Command): void {
  const command = program
    .command('tune')
    .description('change the limits of a run that is under way')
    .argument('<run>', 'the run', parseArgument(runIdSchema));
  addOptions(command.optionsGroup('Limits:'), tuneOptions).action(tune);
}

async function tune(run: RunId, flags: FlagsOf<typeof tuneOptions>): Promise<void> {
  const tuning: Tuning = tuningOf(flags);
  if (Object.keys(tuning).length === 0) {
    throw new UserError(
      'nothing is to be tuned: give --concurrency, --budget-usd, --budget-tokens or --deadline',
    );
  }
  const summary = await tuneRun(run, tuning);
  printSummary(run, summary, flags.json, tunedText(summary));
}
