import type { Command } from 'commander';
import { questionIdSchema, runIdSchema, type QuestionId, type RunId } from '../../domain/ids.js';
import { skipQuestionUpdate } from '../../workflows/messages.js';
import { requireSample } from '../runs/choose-samples.js';
import { withLiveRun } from '../runs/live-run.js';
import { printSummary } from '../views/print-summary.js';
import { summaryText } from '../views/run-text.js';
import { parseArgument, wholeNumber } from './shared/arguments.js';

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
  await withLiveRun(run, async ({ ask, folder, manifest }) => {
    const key = { uuid, epoch };
    await requireSample(folder, manifest, key);
    const summary = await ask((handle) =>
      handle.executeUpdate(skipQuestionUpdate, { args: [key] }),
    );
    printSummary(
      run,
      summary,
      json,
      `skips question ${uuid}${epoch > 1 ? ` (epoch ${epoch})` : ''}: ${summaryText(summary)}`,
    );
  });
}
