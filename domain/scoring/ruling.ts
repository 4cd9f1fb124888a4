import { z } from 'zod';
import { endedForOutsideReasons, type Result } from '../agent/question-result.js';
import { keyText, lineIdSchema, personSchema, sampleKeySchema, type SampleKey } from '../ids.js';
import type { Score } from './score.js';
import type { UnscoredReason } from './verdict.js';

/**
 * What a person decides about a result:
 * - `exclude`: it enters no mean
 * - `wrong`: it counts with the lowest score of its scale
 * - `accept`: it counts as it does without a ruling
 * - `again`: its question is asked again. Until then nothing is decided
 */
export const decisions = ['exclude', 'wrong', 'accept', 'again'] as const;
export type Decision = (typeof decisions)[number];

/** What has become of a result. */
export const decisionNames: Readonly<Record<Decision, string>> = {
  exclude: 'excluded',
  wrong: 'counted as wrong',
  accept: 'accepted',
  again: 'to be asked again',
};

const reasonSchema = z.string('is needed').trim().min(1, 'is needed').max(2_000);

/** A ruling on the results of some questions, as a person writes it. */
export const writtenRulingSchema = z.strictObject({
  by: personSchema,
  about: z.array(sampleKeySchema).min(1),
  decision: z.enum(decisions),
  reason: reasonSchema,
});

const line = { id: lineIdSchema, at: z.iso.datetime(), by: personSchema };
const rulingSchema = z.object({
  ...line,
  kind: z.literal('ruling'),
  about: sampleKeySchema,
  /** It is about the result of this asking, and about none of a later one. */
  asking: z.int().min(1),
  decision: z.enum(decisions),
  reason: reasonSchema,
});
export type Ruling = Readonly<z.infer<typeof rulingSchema>>;

const signOffSchema = z.object({
  ...line,
  kind: z.literal('sign-off'),
  /** The SHA-256 of the `signedText` of the run. */
  of: z.string().regex(/^[0-9a-f]{64}$/),
});
export type SignOff = Readonly<z.infer<typeof signOffSchema>>;

/** A line of the file of a run's rulings. Lines are only added: a withdrawal is one, too. */
export const rulingLineSchema = z.discriminatedUnion('kind', [
  rulingSchema,
  z.object({ ...line, kind: z.literal('withdrawal'), ruling: lineIdSchema }),
  signOffSchema,
]);
export type RulingLine = Readonly<z.infer<typeof rulingLineSchema>>;

export interface RunRulings {
  /** Those that were not withdrawn, the oldest first. */
  readonly rulings: readonly Ruling[];
  /** The newest, whether it still holds or not. */
  readonly signOff: SignOff | null;
}

export const noRulings: RunRulings = { rulings: [], signOff: null };

export function rulingsIn(lines: readonly RulingLine[]): RunRulings {
  const sorted = lines.toSorted((a, b) => a.at.localeCompare(b.at));
  const withdrawn = new Set(
    lines.flatMap((each) => (each.kind === 'withdrawal' ? [each.ruling] : [])),
  );
  return {
    rulings: sorted.filter((each) => each.kind === 'ruling').filter(({ id }) => !withdrawn.has(id)),
    signOff: sorted.findLast((each) => each.kind === 'sign-off') ?? null,
  };
}

/** Whether anybody has ruled on a result of the run, or signed it off. */
export const isRuled = ({ rulings, signOff }: RunRulings): boolean =>
  rulings.length > 0 || signOff !== null;

/** A result of which a ruling may be. */
type Asked = SampleKey & { readonly asking?: number | undefined };

const resultText = ({ asking = 1, ...key }: Asked): string => `${keyText(key)} ${asking}`;

/**
 * Returns a function that finds the ruling that decides about a result: the newest. Undefined where there is none, or its
 * question is to be asked again.
 */
export function rulingOn(rulings: readonly Ruling[]): (result: Asked) => Ruling | undefined {
  const newest = new Map(
    rulings.map((ruling) => [resultText({ ...ruling.about, asking: ruling.asking }), ruling]),
  );
  return (result) => {
    const ruling = newest.get(resultText(result));
    return ruling?.decision === 'again' ? undefined : ruling;
  };
}

/** An answer, as far as rulings are concerned. */
export interface Ruled extends SampleKey {
  readonly result: Result | null;
  readonly score: Score | null;
  readonly ruling?: Ruling | undefined;
}

/** For these reasons an answer shall have no score. */
const meantReasons: readonly UnscoredReason[] = [
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
    return meantReasons.includes(verdict.reason) ? null : `it has no score: ${verdict.reason}`;
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

/** What a sign-off is of. Equal texts: the same results, scores and rulings. @param answers - all of a run */
export const signedText = (answers: readonly Ruled[]): string =>
  JSON.stringify(
    answers.map(({ uuid, epoch, result, score, ruling }) => [
      ...[uuid, epoch, result && (result.asking ?? 1)],
      ...[score?.score ?? null, ruling?.id ?? null],
    ]),
  );
