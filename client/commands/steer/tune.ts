import type { Command } from 'commander';
import { runIdSchema, type RunId } from '../../../domain/ids.js';
import { paidModels } from '../../../domain/runs/run-config.js';
import { summaryText } from '../../views/run-text.js';
import type { Tuning } from '../../../domain/runs/tuning.js';
import { tuneRunUpdate } from '../../../workflows/messages.js';
import {
  addLimitOptions,
  requirePrice,
  tuningOf,
  type LimitFlags,
} from '../shared/limit-options.js';
import { withLiveRun } from '../../runs/live-run.js';
import { parseArgument } from '../shared/arguments.js';
import { printSummary } from '../../views/print-summary.js';
import { UserError } from '../../../domain/user-error.js';

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

/** A run knows the prices it was started with. */
const startedAgain = ' and give `turnwise run` the same arguments with --budget-usd';

async function tune(run: RunId, flags: TuneFlags): Promise<void> {
  const tuning: Tuning = tuningOf(flags);
  if (Object.keys(tuning).length === 0) {
    throw new UserError(
      'nothing is to be tuned: give --concurrency, --budget-usd, --budget-tokens or --deadline',
    );
  }
  await withLiveRun(run, async ({ ask, manifest }) => {
    for (const paid of paidModels(manifest.config)) requirePrice(paid, tuning, startedAgain);
    const summary = await ask((handle) => handle.executeUpdate(tuneRunUpdate, { args: [tuning] }));
    printSummary(run, summary, flags.json, `is tuned: ${summaryText(summary)}`);
  });
}
