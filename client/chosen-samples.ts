import type { QuestionId, SampleKey } from '../domain/ids.js';
import { endedForOutsideReasons, type OutcomeKind } from '../domain/questions/outcome.js';
import type { RunManifest } from '../domain/runs/run-manifest.js';
import type { RunFolder } from './run-folder.js';
import { UserError } from './user-error.js';

/** Throws UserError where a run has no such question, or asks it fewer times. */
export async function requireSample(
  folder: RunFolder,
  { run, config }: RunManifest,
  { uuid, epoch }: SampleKey,
): Promise<void> {
  if (!(await folder.items()).some((item) => item.uuid === uuid)) throw noSuchQuestion(run, uuid);
  if (epoch > config.epochs) {
    throw new UserError(
      `run ${run} asks each question ${config.epochs} times: there is no epoch ${epoch}`,
    );
  }
}

/** Which ended questions are meant. Both absent: those that ended for outside reasons. */
export interface EndedChoice {
  readonly outcomes?: readonly OutcomeKind[];
  readonly questions?: readonly QuestionId[];
}

/** Those of a run's ended questions that are meant, in every epoch. Throws UserError where one is not there. */
export async function chosenEnds(
  folder: RunFolder,
  { outcomes, questions }: EndedChoice,
): Promise<readonly SampleKey[]> {
  if (questions) {
    const known = new Set((await folder.items()).map(({ uuid }) => uuid));
    const stranger = questions.find((uuid) => !known.has(uuid));
    if (stranger !== undefined) throw noSuchQuestion(folder.run, stranger);
  }
  const isMeant = (kind: OutcomeKind): boolean =>
    outcomes?.includes(kind) ?? (questions !== undefined || endedForOutsideReasons[kind]);
  return (await folder.results())
    .filter(({ uuid, outcome }) => isMeant(outcome.kind) && (questions?.includes(uuid) ?? true))
    .map(({ uuid, epoch }) => ({ uuid, epoch }));
}

const noSuchQuestion = (run: RunManifest['run'], uuid: QuestionId): UserError =>
  new UserError(
    `run ${run} has no question ${uuid}; \`turnwise status ${run} --json\` lists those it has`,
  );
