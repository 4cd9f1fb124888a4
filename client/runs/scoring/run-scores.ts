import { createHash } from 'node:crypto';
import { answersOf, type RunAnswer } from '../../../domain/scoring/answer.js';
import {
  openIn,
  type OpenQuestion,
  type Ruling,
  type RulingLine,
  type SignOff,
} from '../../../domain/scoring/ruling.js';
import {
  headlinesOf,
  requireFields,
  scoreLedger,
  type ScoreLedger,
} from '../../../domain/scoring/score-ledger.js';
import type { DatasetItem } from '../../../domain/scoring/dataset-item.js';
import type { Result } from '../../../domain/agent/question-result.js';
import { scoreSchema, type Score } from '../../../domain/scoring/score.js';
import { scoresFile, type RunManifest, type Note } from '../../../domain/runs/run-manifest.js';
import type { RunFolder } from '../run-folder.js';
import { papersOfRun } from '../stores/store-papers.js';

/** What a run's files hold. Of a large run they are megabytes: to be read once. */
export interface RunFiles {
  readonly manifest: RunManifest;
  readonly items: readonly DatasetItem[];
  readonly results: readonly Result[];
  readonly scores: readonly Score[];
  /** What readers have noted, the oldest first. */
  readonly notes: readonly Note[];
  /** What people have ruled on its results, and who has signed it off, the oldest first. */
  readonly rulings: readonly RulingLine[];
}

export async function readRun(folder: RunFolder): Promise<RunFiles> {
  // First: it says whether there is such a run.
  const manifest = await folder.manifest();
  const [items, results, scores, notes, rulings] = await Promise.all([
    folder.items(),
    folder.results(),
    folder.readLines(scoresFile, scoreSchema),
    folder.notes(),
    folder.rulings(),
  ]);
  return { manifest, items, results, scores, notes, rulings };
}

/** What a run's files say of its scores, as far as it is. */
export const ledgerOf = (files: RunFiles): ScoreLedger => scoreLedger(answersIn(files));

/** Every question of a run in every epoch, in the order of its dataset. */
export const answersIn = ({ manifest, ...files }: RunFiles): readonly RunAnswer[] =>
  answersOf({ ...files, epochs: manifest.config.epochs });

/** What a sign-off of these answers is of. @param answers - all of a run */
export const signatureOf = (answers: readonly RunAnswer[]): string => {
  const signed = answers.map(({ result, score, ruling }) => [result, score, ruling]);
  return createHash('sha256').update(JSON.stringify(signed)).digest('hex');
};

/** What of a run is open for a ruling, and what people have decided. */
export interface RulingState {
  readonly open: readonly OpenQuestion[];
  readonly rulings: readonly Ruling[];
  /** Null where nobody has signed the run off as it is. */
  readonly signOff: SignOff | null;
}

export function rulingState(files: RunFiles): RulingState {
  const answers = answersIn(files);
  const last = files.rulings.findLast((each) => each.kind === 'sign-off');
  return {
    open: openIn(answers),
    rulings: answers.flatMap(({ ruling }) => ruling ?? []),
    signOff: last && last.of === signatureOf(answers) ? last : null,
  };
}

/** The headlines of a run that people have ruled on. Null for others, of which the totals tell the means. */
export const ruledHeadlines = async (
  folder: RunFolder,
): Promise<ScoreLedger['headlines'] | null> =>
  (await folder.rulings()).length > 0 ? headlinesOf(answersIn(await readRun(folder))) : null;

const paperFields: readonly string[] = ['anchor_pdf', 'reference_pdf'];

/**
 * `answersIn` for scores by fields of the questions: where one names papers, titles stand before their ids.
 * @param fields - by which the scores are grouped. Throws UserError for one that no question has
 */
export async function answersByFields(
  folder: RunFolder,
  files: RunFiles,
  fields: readonly string[],
): Promise<readonly RunAnswer[]> {
  const answers = answersIn(files);
  requireFields(answers, fields);
  if (!fields.some((field) => paperFields.includes(field))) return answers;
  const papers = await papersOfRun(folder.place, files.manifest);
  const named = (id: string): string => {
    const title = papers.get(id)?.title ?? '';
    return title === '' ? id : `${title} (${id})`;
  };
  const items = files.items.map((item) => ({
    ...item,
    anchor_pdf: item.anchor_pdf.map(named),
    reference_pdf: item.reference_pdf.map(named),
  }));
  return answersIn({ ...files, items });
}
