import { questionIdSchema, runIdSchema, type QuestionId, type RunId } from '../../domain/ids.js';
import { jsonOption, type FlagsOf, flag, option, whole } from '../../domain/option.js';
import { UserError } from '../../domain/user-error.js';
import {
  cancelRun,
  pauseRun,
  resumeRun,
  cancelQuestion,
  tuneRun,
} from '../runs/steering/steer-run.js';
import { printResult, note } from '../services/tell.js';
import {
  cancelledText,
  pausedText,
  printSummary,
  resumedText,
  cancelledQuestionText,
  tunedText,
  exitStatusOf,
  nothingToRetry,
  retriedText,
} from '../views/print-summary.js';
import { parseArgument, wholeNumber, type CommandLine } from './shared/command-line.js';
import { limitOptions, tuningOf, type LimitFlags } from '../runs/steering/tuning-options.js';
import { z } from 'zod';
import { outcomeKinds } from '../../domain/agent/question-result.js';
import type { EndedChoice } from '../runs/choose-samples.js';
import { planRetry, retryQuestions } from '../runs/steering/retry-questions.js';
import { RunFolder } from '../runs/run-folder.js';
import { loadEnvironment } from '../services/environment.js';
import { endText, executeWithDisplay, withSession } from './shared/execute.js';

type Json = FlagsOf<typeof jsonOption>;

export function registerPause(program: CommandLine): void {
  program
    .commandOnRun('pause', 'hold a run: questions in flight end their turn, and wait')
    .option('--now', 'give up the model calls under way, too; they are made again')
    .takes(jsonOption)
    .action(async (run: RunId, { now, json }: Json & { readonly now?: boolean }) => {
      const summary = await pauseRun(run, now ?? false);
      printSummary(run, summary, json, pausedText(summary));
    });
}

export function registerResume(program: CommandLine): void {
  program
    .commandOnRun('resume', 'let a run go on that is paused, or that waits')
    .takes(jsonOption)
    .action(async (run: RunId, { json }: Json) => {
      const summary = await resumeRun(run);
      printSummary(run, summary, json, resumedText(summary));
    });
}

export function registerTune(program: CommandLine): void {
  program
    .commandOnRun('tune', 'change the limits of a run that is under way')
    .optionsGroup('Limits:')
    .takes({ ...limitOptions, ...jsonOption })
    .action(async (run: RunId, flags: LimitFlags & Json) => {
      const tuning = tuningOf(flags);
      if (Object.keys(tuning).length === 0) {
        throw new UserError(
          'nothing is to be tuned: give --concurrency, --budget-usd, --budget-tokens or --deadline',
        );
      }
      const summary = await tuneRun(run, tuning);
      printSummary(run, summary, flags.json, tunedText(summary));
    });
}

export function registerCancel(program: CommandLine): void {
  program
    .commandOnRun(
      'cancel',
      'end a run now, or one of its questions: what is in flight ends as cancelled, what has ended is kept',
    )
    .argument('[question]', 'uuid of the question', parseArgument(questionIdSchema))
    .option('--epoch <n>', 'which time the question is asked (default: 1)', wholeNumber(1, 1000))
    .takes(jsonOption)
    .action(
      async (
        run: RunId,
        uuid: QuestionId | undefined,
        { json, epoch }: Json & { readonly epoch?: number },
      ) => {
        if (uuid !== undefined) {
          const key = { uuid, epoch: epoch ?? 1 };
          const summary = await cancelQuestion(run, key);
          printSummary(run, summary, json, cancelledQuestionText(key, summary));
          return;
        }
        if (epoch !== undefined) throw new UserError('--epoch is of a question: name it');
        const { manifest, ended } = await cancelRun(run);
        const { status, totals } = manifest;
        printResult(
          json,
          { run, status, ended, totals },
          `run ${run} ${cancelledText(manifest, ended)}`,
        );
      },
    );
}

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

export function registerRetry(program: CommandLine): void {
  program
    .command('retry')
    .description('ask questions of a run again, by default those that ended for outside reasons')
    .argument('<run>', 'the run, under way or not', parseArgument(runIdSchema))
    .takes(retryOptions)
    .action(retry);
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
