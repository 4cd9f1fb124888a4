import { counted, preview } from '../../domain/formats/text.js';
import { isSameSample, personSchema } from '../../domain/ids.js';
import { rulingsFile } from '../../domain/runs/run-manifest.js';
import { scorerOfAnswer } from '../../domain/scoring/answer.js';
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
import { answersIn, readRun, signatureOf } from './scoring/run-scores.js';

/**
 * Rules on the results of questions. It changes no result and no score that is stored.
 * @param written - as a person has sent it. Throws UserError where it is refused
 */
export async function ruleOn(folder: RunFolder, written: unknown): Promise<readonly Ruling[]> {
  const { about, ...said } = checkedLine('ruling', writtenRulingSchema, written);
  const answers = answersIn(await readRun(folder));
  const rulings = about.map((key): Ruling => {
    const answer = answers.find((each) => isSameSample(each, key));
    if (answer === undefined) throw noQuestion(folder.run, key);
    const question = `question ${key.uuid} of run ${folder.run}`;
    if (answer.result === null) {
      throw new UserError(`${question} has not ended: there is no result to rule on`);
    }
    if (said.decision === 'wrong' && scorerOfAnswer(answer) === null) {
      throw new UserError(`${question} names no evaluator: no mean counts it as wrong`);
    }
    const { asking = 1 } = answer.result;
    return { kind: 'ruling', ...newLine(), about: key, asking, ...said };
  });
  for (const ruling of rulings) await append(folder, ruling);
  return rulings;
}

/** Signs a run off as it is. Throws UserError where a question has not ended, or is open for a ruling. */
export async function signRun(folder: RunFolder, by: string): Promise<SignOff> {
  const answers = answersIn(await readRun(folder));
  const refused = `run ${folder.run} cannot be signed off`;
  const left = answers.filter(({ result }) => result === null).length;
  if (left > 0) throw new UserError(`${refused}: ${counted(left, 'question')} not ended`);
  const open = openIn(answers);
  if (open.length > 0) {
    throw new UserError(
      `${refused}: ${counted(open.length, 'question')} open for a ruling (${preview(open.map(openText).join('; '), 1_000)}); \`turnwise runs rule ${folder.run}\` lists them`,
    );
  }
  const signed = { by: checkedLine('name', personSchema, by), of: signatureOf(answers) };
  const signOff: SignOff = { kind: 'sign-off', ...newLine(), ...signed };
  await append(folder, signOff);
  return signOff;
}

/** `question q7 (epoch 2): it ended as infra-error`. */
export const openText = ({ uuid, epoch, why }: OpenQuestion): string =>
  `question ${uuid}${epoch > 1 ? ` (epoch ${epoch})` : ''}: ${why}`;

const append = (folder: RunFolder, line: RulingLine): Promise<void> =>
  folder.store(rulingsFile, (files) => files.addLine(folder.run, rulingsFile, line));
