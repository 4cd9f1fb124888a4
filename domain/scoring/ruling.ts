import { z } from 'zod';
import { endedForOutsideReasons, type Result } from '../agent/question-result.js';
import { keyText, personSchema, sampleKeySchema, type SampleKey } from '../ids.js';
import type { Score } from './score.js';
import type { UnscoredReason } from './verdict.js';

/**
 * What a person decides about a result:
 * - `exclude`: it enters no mean
 * - `wrong`: it counts with the lowest score of its scale
 * - `accept`: it counts as it does without a ruling
 * - `again`: its question is asked again. Until then nothing is decided
 * - `withdraw`: nothing is decided any more
 */
export const decisions = ['exclude', 'wrong', 'accept', 'again', 'withdraw'] as const;
export type Decision = (typeof decisions)[number];

/** What has become of a result. */
export const decisionNames: Readonly<Record<Decision, string>> = {
  exclude: 'excluded',
  wrong: 'counted as wrong',
  accept: 'accepted',
  again: 'to be asked again',
  withdraw: 'ruling withdrawn',
};

const said = {
  by: personSchema,
  decision: z.enum(decisions),
  reason: z.string('is needed').trim().min(1, 'is needed').max(2_000),
};

/** A ruling on the results of some questions, as a person writes it. */
export const writtenRulingSchema = z.strictObject({
  ...said,
  about: z.array(sampleKeySchema).min(1),
});

const line = { id: z.string(), at: z.iso.datetime() };
const rulingSchema = z.object({
  ...{ ...line, ...said },
  kind: z.literal('ruling'),
  about: sampleKeySchema,
  /** It is about the result of this asking, and about none of a later one. */
  asking: z.int().min(1),
});
export type Ruling = Readonly<z.infer<typeof rulingSchema>>;

const signOffSchema = z.object({
  ...line,
  kind: z.literal('sign-off'),
  by: personSchema,
  /** The SHA-256 of the results, scores and rulings of the run. */
  of: z.string(),
});
export type SignOff = Readonly<z.infer<typeof signOffSchema>>;

/** A line of the file of a run's rulings. Lines are only added. */
export const rulingLineSchema = z.discriminatedUnion('kind', [rulingSchema, signOffSchema]);
export type RulingLine = Readonly<z.infer<typeof rulingLineSchema>>;

const resultText = (key: SampleKey, asking = 1): string => `${keyText(key)} ${asking}`;

/**
 * Returns a function that finds the ruling that decides about a result: the newest, if that decides anything.
 * @param lines - the oldest first
 */
export function rulingOn(
  lines: readonly RulingLine[],
): (result: SampleKey & { readonly asking?: number | undefined }) => Ruling | undefined {
  const rulings = lines.filter((each) => each.kind === 'ruling');
  const newest = new Map(rulings.map((each) => [resultText(each.about, each.asking), each]));
  return (result) => {
    const ruling = newest.get(resultText(result, result.asking));
    return ruling?.decision === 'again' || ruling?.decision === 'withdraw' ? undefined : ruling;
  };
}

/** An answer, as far as rulings are concerned. */
interface Ruled extends SampleKey {
  readonly result: Result | null;
  readonly score: Score | null;
  readonly ruling?: Ruling | undefined;
}

/** For these reasons an answer shall have no score. */
const meant: readonly UnscoredReason[] = [
  'no-evaluator',
  'no-answer',
  'refused',
  'scorer-abstained',
];

/**
 * Why an answer is open for a ruling; null where it is not, since nothing is in doubt or a person has decided. In doubt is:
 * - a question that ended for outside reasons, and so has no answer
 * - an answer that its scorer should have scored, and did not
 * - a score of judges of whom one gave no verdict
 * - a score below the highest of an answer that was cut off at the most tokens of a reply
 * - a score above the lowest of an answer with values that no observation shows
 */
export function openFor({ result, score, ruling }: Ruled): string | null {
  if (result === null || ruling) return null;
  const { outcome, tools } = result;
  if (endedForOutsideReasons[outcome.kind]) return `it ended as ${outcome.kind}`;
  if (score === null) return null;
  const { verdict, judging } = score;
  if (verdict.kind === 'unscored') {
    return meant.includes(verdict.reason) ? null : `it has no score: ${verdict.reason}`;
  }
  if (judging?.judges.some((judge) => judge.verdict.kind === 'unscored')) {
    return 'one of its judges gave no verdict';
  }
  if (verdict.score < 1 && tools.answerCutOff) return 'its answer was cut off';
  return verdict.score > 0 && (tools.ungrounded ?? []).length > 0
    ? 'its answer has values that no observation shows'
    : null;
}

/** A question that is open for a ruling. */
export interface OpenQuestion extends SampleKey {
  readonly why: string;
}

export const openIn = (answers: readonly Ruled[]): readonly OpenQuestion[] =>
  answers.flatMap((answer) => {
    const why = openFor(answer);
    return why === null ? [] : [{ uuid: answer.uuid, epoch: answer.epoch, why }];
  });
