import { z } from 'zod';
import { exactJsonIn } from '../../../domain/formats/json.js';
import type { SampleKey } from '../../../domain/ids.js';
import type { Separation } from '../../../domain/scoring/execution-match/execution.js';
import type { AnswerToScore } from '../../../domain/scoring/predictions.js';
import { UserError } from '../../../domain/user-error.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import { readTextFile } from '../../services/read-file.js';
import type { RunFolder } from '../run-folder.js';
import { executionsOfPredictions, executionsOfRun, type Executions } from './execute-answers.js';
import { readAnswers, type PredictionFiles } from './score-answers.js';
import { answersToScore } from './score-run.js';

/** What copies of the databases say of answers. Its items are those that match their golds, as `dataset check --json` has them. */
export interface SeparatedAnswers {
  readonly matches: number;
  readonly lucky: number;
  readonly items: readonly (SampleKey & {
    readonly faults: readonly { readonly check: 'luck'; readonly reason: string }[];
    readonly separation: Separation;
  })[];
}

/** Writes nothing. */
export async function separateRun(folder: RunFolder): Promise<SeparatedAnswers> {
  const manifest = await folder.manifest();
  const answers = await answersToScore(folder, await folder.items());
  const how = { isStored: false, separates: true };
  return separated(answers, executionsOfRun(folder, manifest, answers, how));
}

/** @throws UserError naming every flawed line */
export function separatePredictions(
  settings: StoreSettings,
  files: PredictionFiles,
): Promise<SeparatedAnswers> {
  const { answers } = readAnswers(files, 'default', null);
  const how = { separates: true };
  return separated(answers, executionsOfPredictions(settings, files.gold, answers, how));
}

async function separated(
  answers: readonly AnswerToScore[],
  executions: Executions,
): Promise<SeparatedAnswers> {
  const found = new Map<number, Separation>();
  for await (const done of executions) {
    if ('separation' in done && done.separation) found.set(done.index, done.separation);
  }
  const items = answers.flatMap(({ prediction: { uuid, epoch } }, index) => {
    const separation = found.get(index);
    if (separation === undefined) return [];
    const faults =
      separation.kind === 'luck' ? [{ check: 'luck', reason: separation.reason } as const] : [];
    return [{ uuid, epoch, faults, separation }];
  });
  const lucky = items.filter(({ faults }) => faults.length > 0).length;
  return { matches: items.length, lucky, items };
}

const suspectsSchema = z.object({
  items: z.array(z.object({ uuid: z.string().nullable(), faults: z.array(z.unknown()) })),
});

/**
 * The questions with faults, in what `dataset check --json` or `score --separate --json` has printed.
 * @throws UserError where the file is neither
 */
export function readSuspects(path: string): ReadonlySet<string> {
  const { data } = suspectsSchema.safeParse(exactJsonIn(readTextFile(path)));
  if (data === undefined) {
    throw new UserError(
      `${path} is not what \`turnwise dataset check --json\` or \`turnwise score --separate --json\` prints`,
    );
  }
  return new Set(
    data.items.flatMap(({ uuid, faults }) => (uuid !== null && faults.length > 0 ? [uuid] : [])),
  );
}
