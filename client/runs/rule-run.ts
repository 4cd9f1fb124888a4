import { isSameSample, personSchema, type SampleKey } from '../../domain/ids.js';
import { rulingsFile } from '../../domain/runs/run-layout.js';
import { counted } from '../../domain/formats/text.js';
import { scorerOfAnswer, type RunAnswer } from '../../domain/scoring/answer.js';
import {
  openIn,
  writtenRulingSchema,
  type OpenQuestion,
  type Ruling,
  type RulingLine,
  type SignOff,
} from '../../domain/scoring/ruling.js';
import { UserError } from '../../domain/user-error.js';
import { checkedLine, newLine } from './note-run.js';
import { noQuestion, type RunFolder } from './run-folder.js';
import { answersIn, readRun, signatureOf, signOffOf } from './scoring/run-scores.js';

/** What of a run is open for a ruling, and what was ruled. */
export interface RulingState {
  readonly open: readonly OpenQuestion[];
  /** The oldest first, also of results that their questions no longer have. */
  readonly rulings: readonly Ruling[];
  /** Null where nobody has signed the run off as it is. */
  readonly signOff: SignOff | null;
}

export async function rulingState(folder: RunFolder): Promise<RulingState> {
  const files = await readRun(folder);
  return {
    open: openIn(answersIn(files)),
    rulings: files.rulings.rulings,
    signOff: signOffOf(files),
  };
}

/**
 * Rules on the results of questions. It changes no result and no score that is stored.
 * @param written - as a person has sent it. Throws UserError where it is refused
 */
export async function ruleOn(folder: RunFolder, written: unknown): Promise<readonly Ruling[]> {
  const { about, ...said } = checkedLine('ruling', writtenRulingSchema, written);
  const answers = answersIn(await readRun(folder));
  const rulings = about.map((key): Ruling => ({
    kind: 'ruling',
    ...newLine(),
    about: key,
    asking: askingOf(folder, answers, key, said.decision),
    ...said,
  }));
  for (const ruling of rulings) await append(folder, ruling);
  return rulings;
}

/** The asking whose result is ruled on. */
function askingOf(
  folder: RunFolder,
  answers: readonly RunAnswer[],
  key: SampleKey,
  decision: Ruling['decision'],
): number {
  const answer = answers.find((each) => isSameSample(each, key));
  if (answer === undefined) throw noQuestion(folder.run, key);
  if (answer.result === null) {
    throw new UserError(
      `question ${key.uuid} of run ${folder.run} has not ended: there is no result to rule on`,
    );
  }
  if (decision === 'wrong' && scorerOfAnswer(answer) === null) {
    throw new UserError(
      `question ${key.uuid} of run ${folder.run} names no evaluator: no mean counts it as wrong`,
    );
  }
  return answer.result.asking ?? 1;
}

/** Takes a ruling back. The file keeps who has made it, and who has withdrawn it. */
export async function withdrawRuling(folder: RunFolder, id: string, by: string): Promise<Ruling> {
  await folder.manifest();
  const ruling = (await folder.rulings()).rulings.find((each) => each.id === id);
  if (ruling === undefined) {
    throw new UserError(
      `run ${folder.run} has no ruling ${id}: \`turnwise runs rule ${folder.run}\` lists those it has`,
    );
  }
  await append(folder, { kind: 'withdrawal', ...newLine(), by: person(by), ruling: id });
  return ruling;
}

/** Open questions that a refusal names. */
const named = 10;

/** Signs a run off as it is. Throws UserError where a question has not ended, or is open for a ruling. */
export async function signRun(folder: RunFolder, by: string): Promise<SignOff> {
  const { run } = folder;
  const files = await readRun(folder);
  const answers = answersIn(files);
  const left = answers.filter(({ result }) => result === null).length;
  if (left > 0) {
    throw new UserError(
      `run ${run} cannot be signed off: ${counted(left, 'question')} of it ${left === 1 ? 'has' : 'have'} not ended`,
    );
  }
  const open = openIn(answers);
  if (open.length > 0) {
    const more = open.length > named ? `; and ${open.length - named} more` : '';
    throw new UserError(
      `run ${run} cannot be signed off, since results are open for a ruling (\`turnwise runs rule ${run}\` lists them): ${open.slice(0, named).map(openText).join('; ')}${more}`,
    );
  }
  const of = signatureOf(answers);
  const signOff: SignOff = { kind: 'sign-off', ...newLine(), by: person(by), of };
  await append(folder, signOff);
  return signOff;
}

/** `question q7 (epoch 2): it ended as infra-error`. */
export const openText = ({ uuid, epoch, why }: OpenQuestion): string =>
  `question ${uuid}${epoch > 1 ? ` (epoch ${epoch})` : ''}: ${why}`;

const person = (by: string): string => checkedLine('name', personSchema, by);

const append = (folder: RunFolder, line: RulingLine): Promise<void> =>
  folder.store(rulingsFile, (files) => files.addLine(folder.run, rulingsFile, line));
