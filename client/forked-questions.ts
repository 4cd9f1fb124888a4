import type { QuestionId } from '../domain/ids.js';
import type { OutcomeKind } from '../domain/questions/outcome.js';
import { fieldValues } from '../domain/reports/group-scores.js';
import { datasetFile } from '../domain/runs/run-layout.js';
import { chosenEnds, requireSample } from './chosen-samples.js';
import type { RunFolder } from './run-folder.js';
import { UserError } from './user-error.js';

export interface FieldIs {
  /** Dots lead into it. */
  readonly field: string;
  readonly value: string;
}

/** Which questions of a run are meant; all that is given must hold, and what is absent does. */
export interface QuestionFilter {
  readonly where?: readonly FieldIs[];
  /** In any epoch. */
  readonly outcome?: readonly OutcomeKind[];
  readonly question?: readonly QuestionId[];
}

/** The part of a run's dataset that holds the questions that are meant. Throws UserError where there are none. */
export async function forkedQuestions(
  folder: RunFolder,
  { where, outcome, question }: QuestionFilter,
): Promise<string> {
  const manifest = await folder.manifest();
  for (const uuid of question ?? []) await requireSample(folder, manifest, { uuid, epoch: 1 });
  const ends = outcome && (await chosenEnds(folder, { outcomes: outcome })).map(({ uuid }) => uuid);
  const ended = ends && new Set(ends);
  const meant = (await folder.items()).map(
    (item) =>
      (question?.includes(item.uuid) ?? true) &&
      (ended?.has(item.uuid) ?? true) &&
      (where ?? []).every(({ field, value }) => fieldValues(item, field).includes(value)),
  );
  if (!meant.includes(true)) throw new UserError(`run ${folder.run} has no such questions`);
  const lines = ((await folder.read(datasetFile)) ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.filter((_, index) => meant[index]).join('\n');
}
