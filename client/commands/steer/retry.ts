import { Option, type Command } from 'commander';
import { outcomeKinds, type OutcomeKind } from '../../../domain/agent/question-result.js';
import { questionIdSchema, runIdSchema, type QuestionId, type RunId } from '../../../domain/ids.js';
import type { EndedChoice } from '../../runs/choose-samples.js';
import { planRetry, retryQuestions } from '../../runs/steering/retry-questions.js';
import { RunFolder } from '../../runs/run-folder.js';
import { loadEnvironment } from '../../services/environment.js';
import { exitStatusOf, nothingToRetry, retriedText } from '../../views/print-summary.js';
import { parseArgument, parseArguments } from '../shared/arguments.js';
import { executeWithDisplay, withSession } from '../shared/execute.js';
import { endText } from '../shared/report-end.js';

interface RetryFlags {
  readonly outcome?: readonly OutcomeKind[];
  readonly question?: readonly QuestionId[];
  readonly anew?: true;
  readonly json?: true;
}

export function registerRetry(program: Command): void {
  program
    .command('retry')
    .description('ask questions of a run again, by default those that ended for outside reasons')
    .argument('<run>', 'the run, under way or not', parseArgument(runIdSchema))
    .addOption(new Option('--outcome <kind...>', 'those that ended so').choices(outcomeKinds))
    .option(
      '--question <uuid...>',
      'these questions, in every epoch',
      parseArguments(questionIdSchema),
    )
    .option('--anew', 'from the first turn, instead of going on after the turns that are stored')
    .option('--json', 'one JSON document')
    .action(retry);
}

async function retry(run: RunId, flags: RetryFlags): Promise<void> {
  const { anew = false, json } = flags;
  const environment = loadEnvironment();
  const folder = RunFolder.of(environment, run);
  const plan = await planRetry(folder, choiceOf(flags));
  const { manifest, questions, pastDeadline } = plan;
  if (questions.length === 0) {
    console.log(json ? JSON.stringify({ run, retried: 0 }) : nothingToRetry(run, choiceOf(flags)));
    return;
  }
  await withSession(environment, async (session) => {
    if (pastDeadline !== null) {
      console.error(`the run's deadline, ${pastDeadline}, is past and holds no more`);
    }
    const summary = await retryQuestions(session.client, folder, plan, anew);
    console.log(
      json
        ? JSON.stringify({ run, retried: questions.length, ...summary }, null, 1)
        : `run ${run} ${retriedText(questions.length, summary)}`,
    );
    // Services that run already go on with it.
    if (!session.services.startedHere) return;
    const totals = await executeWithDisplay(session, environment, { folder, manifest });
    console.error(await endText(folder, manifest, totals));
    process.exitCode = exitStatusOf(totals);
  });
}

const choiceOf = ({ outcome, question }: RetryFlags): EndedChoice => ({
  ...(outcome && { outcomes: outcome }),
  ...(question && { questions: question }),
});
