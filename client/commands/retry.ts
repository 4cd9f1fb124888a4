import type { Command } from 'commander';
import { z } from 'zod';
import { outcomeKinds } from '../../domain/agent/question-result.js';
import { questionIdSchema, runIdSchema, type RunId } from '../../domain/ids.js';
import { flag, jsonOption, option, whole, type FlagsOf } from '../../domain/option.js';
import type { EndedChoice } from '../runs/choose-samples.js';
import { planRetry, retryQuestions } from '../runs/steering/retry-questions.js';
import { RunFolder } from '../runs/run-folder.js';
import { loadEnvironment } from '../services/environment.js';
import { note, printResult } from '../services/tell.js';
import { exitStatusOf, nothingToRetry, retriedText } from '../views/print-summary.js';
import { addOptions, parseArgument } from './shared/arguments.js';
import { endText, executeWithDisplay, withSession } from './shared/execute.js';

const retryOptions = {
  outcome: option('<kind>', 'those that ended so', z.array(z.enum(outcomeKinds)).optional()),
  question: option(
    '<uuid>',
    'these questions, in every epoch',
    z.array(questionIdSchema).optional(),
  ),
  epoch: option('<n>', 'only in this epoch', whole(1, 1000).optional()),
  anew: flag('from the first turn, instead of going on after the turns that are stored'),
  ...jsonOption,
};
type RetryFlags = FlagsOf<typeof retryOptions>;

export function registerRetry(program: Command): void {
  const command = program
    .command('retry')
    .description('ask questions of a run again, by default those that ended for outside reasons')
    .argument('<run>', 'the run, under way or not', parseArgument(runIdSchema));
  addOptions(command, retryOptions).action(retry);
}

export async function retry(run: RunId, flags: RetryFlags): Promise<void> {
  const { anew = false, json } = flags;
  const environment = loadEnvironment();
  const folder = RunFolder.of(environment, run);
  const plan = await planRetry(folder, choiceOf(flags));
  const { manifest, questions, pastDeadline } = plan;
  if (questions.length === 0) {
    printResult(json, { run, retried: 0 }, nothingToRetry(run, choiceOf(flags)));
    return;
  }
  await withSession(environment, async (session) => {
    if (pastDeadline !== null) {
      note(`the run's deadline, ${pastDeadline}, is past and holds no more`);
    }
    const summary = await retryQuestions(session.client, folder, plan, anew);
    printResult(
      json,
      { run, retried: questions.length, ...summary },
      `run ${run} ${retriedText(questions.length, summary)}`,
    );
    // Services that run already go on with it.
    if (!session.services.startedHere) return;
    const totals = await executeWithDisplay(session, environment, { folder, manifest });
    note(await endText(folder, manifest, totals));
    process.exitCode = exitStatusOf(totals);
  });
}

const choiceOf = ({ outcome, question, epoch }: RetryFlags): EndedChoice => ({
  ...(outcome && { outcomes: outcome }),
  ...(question && { questions: question }),
  ...(epoch !== undefined && { epoch }),
});
