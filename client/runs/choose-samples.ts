import { createHash } from 'node:crypto';
import {
  endedForOutsideReasons,
  resultSchema,
  type OutcomeKind,
} from '../../domain/agent/question-result.js';
import type { QuestionId, SampleKey } from '../../domain/ids.js';
import { readDataset } from '../../domain/runs/dataset.js';
import { datasetFile, resultsFile, type RunManifest } from '../../domain/runs/run-manifest.js';
import { fieldValues } from '../../domain/scoring/score-ledger.js';
import { UserError } from '../../domain/user-error.js';
import type { RunFolder } from './run-folder.js';

/** Which questions of a dataset a run is about. */
export type QuestionChoice = { readonly kind: 'all' } | NonNullable<RunManifest['part']>;

/**
 * The part of a dataset's text that holds the chosen questions, in the dataset's order.
 * @param own - the scorers of plugins
 */
export function chooseQuestions(
  text: string,
  choice: QuestionChoice,
  own: ReadonlySet<string> = new Set(),
): string {
  switch (choice.kind) {
    case 'all':
      return text;
    case 'first':
      return firstQuestions(text, choice.count);
    case 'sample':
      return sampledQuestions(text, choice.count, choice.seed, own);
  }
}

/** The first database that a question names. Of a dataset with flaws that is not known: whoever reads it next names them. */
export function databaseNamed(text: string, own: ReadonlySet<string>): unknown {
  const dataset = readDataset(text, own);
  return dataset.kind === 'problems' ? null : dataset.items.find((item) => item.database)?.database;
}

/** Blank lines are kept, so that a flaw is named by its line in the file. */
function firstQuestions(text: string, count: number): string {
  const lines = text.split('\n');
  const places = lines.flatMap((line, index) => (line.trim() === '' ? [] : [index]));
  return lines.slice(0, (places[count - 1] ?? lines.length) + 1).join('\n');
}

/**
 * The questions whose ids hash lowest: the same ones on every machine and in any order of the file, and a larger
 * sample of the same seed holds the smaller one.
 */
function sampledQuestions(
  text: string,
  count: number,
  seed: number,
  own: ReadonlySet<string>,
): string {
  const dataset = readDataset(text, own);
  // Whoever reads it next names its flaws.
  if (dataset.kind === 'problems') return text;
  const rank = (uuid: string): string =>
    createHash('sha256').update(`${seed} ${uuid}`).digest('hex');
  const uuids = dataset.items.map(({ uuid }) => uuid);
  const chosen = new Set<string>(
    [...uuids].sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, count),
  );
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.filter((_, index) => chosen.has(uuids[index] ?? '')).join('\n');
}

/** Throws UserError where a run has no such question, or asks it fewer times. */
export async function requireSample(
  folder: RunFolder,
  { run, config }: RunManifest,
  { uuid, epoch }: SampleKey,
): Promise<void> {
  if (!(await folder.hasQuestion(uuid))) throw noSuchQuestion(run, uuid);
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
  /** @defaultValue every epoch */
  readonly epoch?: number;
}

/** Those of a run's ended questions that are meant. Throws UserError where one is not there. */
export async function chosenEnds(
  folder: RunFolder,
  { outcomes, questions, epoch: only }: EndedChoice,
): Promise<readonly SampleKey[]> {
  for (const uuid of questions ?? []) {
    if (!(await folder.hasQuestion(uuid))) throw noSuchQuestion(folder.run, uuid);
  }
  const isMeant = (kind: OutcomeKind): boolean =>
    outcomes?.includes(kind) ?? (questions !== undefined || endedForOutsideReasons[kind]);
  const asked = questions && new Set(questions);
  const chosen: SampleKey[] = [];
  await folder.eachLine(resultsFile, resultSchema, ({ uuid, epoch, outcome }) => {
    if (only !== undefined && epoch !== only) return;
    if (isMeant(outcome.kind) && (asked?.has(uuid) ?? true)) chosen.push({ uuid, epoch });
  });
  return chosen;
}

const noSuchQuestion = (run: RunManifest['run'], uuid: QuestionId): UserError =>
  new UserError(
    `run ${run} has no question ${uuid}; \`turnwise status ${run} --json\` lists those it has`,
  );

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
      (where ?? []).every(({ field, value }) =>
        fieldValues({ item, score: null, result: null }, field).includes(value),
      ),
  );
  if (!meant.includes(true)) throw new UserError(`run ${folder.run} has no such questions`);
  const lines = ((await folder.read(datasetFile)) ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.filter((_, index) => meant[index]).join('\n');
}
