import type { Command } from 'commander';
import { questionIdSchema, runIdSchema, type QuestionId, type RunId } from '../../../domain/ids.js';
import { cancelRun, skipQuestion } from '../../runs/steering/steer-run.js';
import { cancelledText, printSummary, skippedText } from '../../views/print-summary.js';
import { parseArgument, wholeNumber } from '../shared/arguments.js';

export function registerCancel(program: Command): void {
  program
    .command('cancel')
    .description('end a run now: what is in flight ends as cancelled, what has ended is kept')
    .argument('<run>', 'the run', parseArgument(runIdSchema))
    .option('--json', 'one JSON document')
    .action(cancel);
}

async function cancel(run: RunId, { json }: { readonly json?: true }): Promise<void> {
  const { manifest, ended } = await cancelRun(run);
  console.log(
    json
      ? JSON.stringify({ run, status: manifest.status, ended, totals: manifest.totals }, null, 1)
      : `run ${run} ${cancelledText(manifest, ended)}`,
  );
}

interface SkipFlags {
  readonly epoch: number;
  readonly json?: true;
}

export function registerSkip(program: Command): void {
  program
    .command('skip')
    .description('end one question of a run as cancelled, under way or not')
    .argument('<run>', 'the run', parseArgument(runIdSchema))
    .argument('<question>', 'uuid of the question', parseArgument(questionIdSchema))
    .option('--epoch <n>', 'which time it is asked', wholeNumber(1, 1000), 1)
    .option('--json', 'one JSON document')
    .action(skip);
}

async function skip(run: RunId, uuid: QuestionId, { epoch, json }: SkipFlags): Promise<void> {
  const key = { uuid, epoch };
  const summary = await skipQuestion(run, key);
  printSummary(run, summary, json, skippedText(key, summary));
}
