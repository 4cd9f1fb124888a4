import type { SampleKey } from '../../../domain/ids.js';
import { manifestFile, type RunManifest } from '../../../domain/runs/run-manifest.js';
import type { RunSummary } from '../../../domain/runs/run-progress.js';
import { UserError } from '../../../domain/user-error.js';
import { mostRetriedAtOnce } from '../../../workflows/messages.js';
import type { HomeClient } from '../../services/home-client.js';
import { chosenEnds, type EndedChoice } from '../choose-samples.js';
import { askRun } from '../live-run.js';
import { samplesOf, type RunFolder } from '../run-folder.js';
import { retryInRun } from '../start-run.js';

/** Questions of a run that are to be asked again. */
interface RetryPlan {
  /** With no deadline if its own is past. */
  readonly manifest: RunManifest;
  /** ISO 8601. Null unless the run has one that is past. */
  readonly pastDeadline: string | null;
  readonly questions: readonly SampleKey[];
}

/** The lines of this many questions are removed from the results, which takes a while where these are large. */
const retryMs = 120_000;

/** Throws UserError where the run was cancelled before its end, or has no such question. */
export async function planRetry(folder: RunFolder, choice: EndedChoice): Promise<RetryPlan> {
  const stored = await folder.manifest();
  const { deadline } = stored.config;
  // A run that is taken up then would end at once.
  const isPast = deadline !== null && Date.parse(deadline) <= Date.now();
  const manifest = isPast ? withoutDeadline(stored) : stored;
  await requireNothingElse(folder, manifest);
  const questions = await chosenEnds(folder, choice);
  return { manifest, pastDeadline: isPast ? deadline : null, questions };
}

/**
 * @param plan - with at least one question
 * @param anew - whether they start at the first turn, instead of going on after the turns that are stored
 */
export async function retryQuestions(
  client: HomeClient,
  folder: RunFolder,
  { manifest, pastDeadline, questions }: RetryPlan,
  anew: boolean,
): Promise<RunSummary> {
  if (pastDeadline !== null) {
    // As it is now: workers may have written to it since. That the run is under way is for them to say.
    const kept = withoutDeadline(await folder.manifest());
    await folder.writeJson(manifestFile, kept);
  }
  for (let first = 0; ; first += mostRetriedAtOnce) {
    const batch = { questions: questions.slice(first, first + mostRetriedAtOnce), anew };
    const summary = await askRun(
      client,
      folder,
      () => retryInRun(client, manifest, batch),
      retryMs,
    );
    if (first + mostRetriedAtOnce >= questions.length) return summary;
  }
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

const withoutDeadline = (manifest: RunManifest): RunManifest => ({
  ...manifest,
  config: { ...manifest.config, deadline: null },
});
