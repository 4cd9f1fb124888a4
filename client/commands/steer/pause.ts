import type { Command } from 'commander';
import { runIdSchema, type RunId } from '../../../domain/ids.js';
import { pauseRun, resumeRun } from '../../runs/steering/steer-run.js';
import { pausedText, printSummary, resumedText } from '../../views/print-summary.js';
import { parseArgument } from '../shared/arguments.js';

interface PauseFlags {
  readonly now?: true;
  readonly json?: true;
}

export function registerPause(program: Command): void {
  program
    .command('pause')
    .description('hold a run: questions in flight end their turn, and wait')
    .argument('<run>', 'the run', parseArgument(runIdSchema))
    .option('--now', 'give up the model calls under way, too; they are made again')
    .option('--json', 'one JSON document')
    .action(pause);
}

export function registerResume(program: Command): void {
  program
    .command('resume')
    .description('let a run go on that is paused, or that waits')
    .argument('<run>', 'the run', parseArgument(runIdSchema))
    .option('--json', 'one JSON document')
    .action(resume);
}

async function pause(run: RunId, { now, json }: PauseFlags): Promise<void> {
  const summary = await pauseRun(run, now ?? false);
  printSummary(run, summary, json, pausedText(summary));
}

async function resume(run: RunId, { json }: Pick<PauseFlags, 'json'>): Promise<void> {
  const summary = await resumeRun(run);
  printSummary(run, summary, json, resumedText(summary));
}
