import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowFailedError } from '@temporalio/client';
import type { Command } from 'commander';
import { questionIdSchema, runIdSchema, type QuestionId, type RunId } from '../../../domain/ids.js';
import { skipQuestionUpdate } from '../../../workflows/messages.js';
import { requireSample } from '../../runs/choose-samples.js';
import { withLiveRun } from '../../runs/live-run.js';
import { printSummary } from '../../views/print-summary.js';
import { summaryText } from '../../views/run-text.js';
import { parseArgument, wholeNumber } from '../shared/arguments.js';
import { samplesOf } from '../../runs/run-folder.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';

/** Longer than it takes a worker to end what is in flight. */
const endMs = 20_000;

export function registerCancel(program: Command): void {
  program
    .command('cancel')
    .description('end a run now: what is in flight ends as cancelled, what has ended is kept')
    .argument('<run>', 'the run', parseArgument(runIdSchema))
    .option('--json', 'one JSON document')
    .action(cancel);
}

async function cancel(run: RunId, { json }: { readonly json?: true }): Promise<void> {
  await withLiveRun(run, async ({ ask, folder }) => {
    const end = await ask(async (handle) => {
      await handle.cancel();
      const ended = handle.result().then(
        () => 'ended' as const,
        (error: unknown) => {
          if (error instanceof WorkflowFailedError) return 'ended' as const;
          throw error;
        },
      );
      return Promise.race([ended, sleep(endMs - 1000, 'late' as const, { ref: false })]);
    });
    if (end === 'late') {
      throw new UserError(
        `run ${run} is asked to end, and no worker has ended it yet: it will when one runs (\`turnwise up\` or \`turnwise worker\` starts one)`,
        exitStatus.serviceUnreachable,
      );
    }
    const manifest = await folder.manifest();
    const ended = await folder.countResults();
    console.log(
      json
        ? JSON.stringify({ run, status: manifest.status, ended, totals: manifest.totals }, null, 1)
        : `run ${run} is ${manifest.status === 'done' ? 'done: it had ended already' : 'cancelled'}; ${ended} of ${samplesOf(manifest)} questions have ended and are kept`,
    );
  });
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
