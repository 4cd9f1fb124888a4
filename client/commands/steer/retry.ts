import { Option, type Command } from 'commander';
import { questionIdSchema, runIdSchema, type QuestionId, type RunId } from '../../../domain/ids.js';
import { outcomeKinds, type OutcomeKind } from '../../../domain/agent/question-result.js';
import { manifestFile } from '../../../domain/runs/run-layout.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import { summaryText } from '../../views/run-text.js';
import { chosenEnds, type EndedChoice } from '../../runs/choose-samples.js';
import { loadEnvironment } from '../../services/environment.js';
import { exitStatusOf } from '../../views/print-summary.js';
import { askRun } from '../../runs/live-run.js';
import { parseArgument, parseArguments } from '../shared/arguments.js';
import { RunFolder, samplesOf } from '../../runs/run-folder.js';
import { executeWithDisplay, withSession } from '../shared/execute.js';
import { endText } from '../shared/report-end.js';
import { retryInRun } from '../../runs/start-run.js';
import { UserError } from '../../../domain/user-error.js';
import { mostRetriedAtOnce } from '../../../workflows/messages.js';

interface RetryFlags {
  readonly outcome?: readonly OutcomeKind[];
  readonly question?: readonly QuestionId[];
  readonly anew?: true;
  readonly json?: true;
}

/** The lines of this many questions are removed from the results, which takes a while where these are large. */
const retryMs = 120_000;

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
  const stored = await folder.manifest();
  const hadDeadline = isPastDeadline(stored);
  const manifest = hadDeadline ? withoutDeadline(stored) : stored;
  await requireNothingElse(folder, manifest);
  const questions = await chosenEnds(folder, choiceOf(flags));
  if (questions.length === 0) {
    console.log(json ? JSON.stringify({ run, retried: 0 }) : nothingToRetry(run, flags));
    return;
  }
  await withSession(environment, async (session) => {
    if (hadDeadline) {
      console.error(`the run's deadline, ${stored.config.deadline}, is past and holds no more`);
      // As it is now: workers may have written to it since. That the run is under way is for them to say.
      const kept = withoutDeadline(await folder.manifest());
      await folder.write(manifestFile, `${JSON.stringify(kept, null, 1)}\n`);
    }
    for (let first = 0; first < questions.length; first += mostRetriedAtOnce) {
      const batch = { questions: questions.slice(first, first + mostRetriedAtOnce), anew };
      const summary = await askRun(
        session.client,
        folder,
        () => retryInRun(session.client, manifest, batch),
        retryMs,
      );
      if (first + mostRetriedAtOnce < questions.length) continue;
      console.log(
        json
          ? JSON.stringify({ run, retried: questions.length, ...summary }, null, 1)
          : `run ${run} asks ${questions.length} ${questions.length === 1 ? 'question' : 'questions'} again: ${summaryText(summary)}`,
      );
    }
    // Services that run already go on with it.
    if (!session.services.startedHere) return;
    const totals = await executeWithDisplay(session, environment, { folder, manifest });
    console.error(await endText(folder, manifest, totals));
    process.exitCode = exitStatusOf(totals);
  });
}

/** A cancelled run that is taken up asks all that is left, which nobody has been told the price of. */
async function requireNothingElse(folder: RunFolder, manifest: RunManifest): Promise<void> {
  if (manifest.status !== 'cancelled') return;
  const left = samplesOf(manifest) - (await folder.countResults());
  if (left <= 0) return;
  throw new UserError(
    `run ${manifest.run} was cancelled before ${left} of its questions had ended, which would be asked, too: \`turnwise run\` with the same arguments says what they take and goes on with them, and \`turnwise retry\` then asks others again`,
  );
}

const choiceOf = ({ outcome, question }: RetryFlags): EndedChoice => ({
  ...(outcome && { outcomes: outcome }),
  ...(question && { questions: question }),
});

/** A run that is taken up then would end at once. */
const isPastDeadline = ({ config: { deadline } }: RunManifest): boolean =>
  deadline !== null && Date.parse(deadline) <= Date.now();

const withoutDeadline = (manifest: RunManifest): RunManifest => ({
  ...manifest,
  config: { ...manifest.config, deadline: null },
});

const nothingToRetry = (run: RunId, { outcome, question }: RetryFlags): string =>
  outcome || question
    ? `run ${run} has no such question that has ended: there is nothing to retry`
    : `no question of run ${run} has ended for outside reasons: there is nothing to retry`;
