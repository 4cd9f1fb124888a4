import { z } from 'zod';

/** Whether an answer holds what is critical in a long reference answer: for conclusive questions. */
export const longFormMatch = 'eval_long_form_match';

/** How far an answer agrees with a long reference answer, from 1 to 5: for interpretive questions. */
export const longFormGrade = 'eval_long_form_grade';

export const isLongForm = (scorer: string): boolean =>
  scorer === longFormMatch || scorer === longFormGrade;

/**
 * What the numbers of scores mean. All are kept from 0 to 1, but each scale is averaged, compared and shown on its own: no
 * mean covers both (as in the paper's Table 2).
 * - `unit`: from 0 to 1. The mean over matches is the match rate
 * - `one-to-five`: the whole numbers from 1 to 5 of `longFormGrade`. The mean is the match score
 */
export const scales = ['unit', 'one-to-five'] as const;
export type Scale = (typeof scales)[number];

/** @param scorer - the name of an evaluation function, if there is one */
export const scaleOf = (scorer: string | null | undefined): Scale =>
  scorer === longFormGrade ? 'one-to-five' : 'unit';

/** The scales that occur, in their order; `unit` if there are none. */
export function scalesIn(found: readonly (Scale | null)[]): readonly [Scale, ...Scale[]] {
  const [first = 'unit', ...others] = scales.filter((scale) => found.includes(scale));
  return [first, ...others];
}

/** The means of the scales, for users. */
export const meanNames: Readonly<Record<Scale, string>> = {
  unit: 'mean score',
  'one-to-five': 'mean match score (1 to 5)',
};

/** What follows the name of a group or a run whose scores are of the scale. */
export const scaleLabels: Readonly<Record<Scale, string>> = {
  unit: '',
  'one-to-five': ' (1 to 5)',
};

/** The lowest and the highest number of a scale. */
export const rangeOf: Readonly<Record<Scale, { readonly least: number; readonly most: number }>> = {
  unit: { least: 0, most: 1 },
  'one-to-five': { least: 1, most: 5 },
};

/** A score from 0 to 1 as a number of its scale: a score of 0.5 is a grade of 3. */
export const onScale = (score: number, scale: Scale): number => {
  const { least, most } = rangeOf[scale];
  return least + score * (most - least);
};

/** The inverse of `onScale`. */
export const fromScale = (value: number, scale: Scale): number => {
  const { least, most } = rangeOf[scale];
  return (value - least) / (most - least);
};

/**
 * The verdict of an evaluator on one answer. `unscored` answers are not part of any mean:
 * - `outside-failure`: there is no answer because of a failure outside the model
 * - `no-evaluator`: the item has no evaluator
 * - `unknown-evaluator`: there is no evaluation function of that name
 * - `invalid-evaluator`: the options of the evaluator are invalid
 * - `no-answer`: a judge has nothing to compare with the reference answer: the answer is empty, or there is none
 * - `refused`: the model or a filter refused, and the item says that this is no wrong answer
 * - `needs-judge`: the evaluator needs a judge, and the run has none
 * - `judge-refused`: the judge refused to reply
 * - `judge-filtered`: a filter of the provider removed the judge's reply
 * - `judge-empty`: the judge's reply is empty
 * - `judge-unreadable`: no reply of the judge could be read
 * - `judge-unavailable`: the calls of the judge failed
 * - `judges-tied`: the verdicts of the judges have no majority
 * - `not-executed`: the SQL of the answer and the gold SQL were not executed
 * - `gold-fails`: no gold SQL could be executed
 * - `result-too-large`: a result is too large to be stored
 * - `scorer-failed`: the user's own scorer failed, took too long, or gave no score
 * - `scorer-abstained`: the user's own scorer gave null
 */
export const verdictSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('scored'),
    score: z.number().min(0).max(1),
    /** The score on the function's own scale, if that is not 0 to 1: grades from 1 to 10, or from 1 to 5. */
    rawScore: z.number().optional(),
    rationale: z.string().optional(),
  }),
  z.object({
    kind: z.literal('unscored'),
    reason: z.enum([
      'outside-failure',
      'no-evaluator',
      'unknown-evaluator',
      'invalid-evaluator',
      'no-answer',
      'refused',
      'needs-judge',
      'judge-refused',
      'judge-filtered',
      'judge-empty',
      'judge-unreadable',
      'judge-unavailable',
      'judges-tied',
      'not-executed',
      'gold-fails',
      'result-too-large',
      'scorer-failed',
      'scorer-abstained',
    ]),
    /** Details of the reason. */
    message: z.string().optional(),
  }),
]);
export type Verdict = Readonly<z.infer<typeof verdictSchema>>;
export type UnscoredReason = Extract<Verdict, { kind: 'unscored' }>['reason'];

export const scored = (matches: boolean, rationale = ''): Verdict => ({
  kind: 'scored',
  score: matches ? 1 : 0,
  ...(rationale !== '' && { rationale }),
});

export const unscored = (reason: UnscoredReason, message = ''): Verdict => ({
  kind: 'unscored',
  reason,
  ...(message !== '' && { message }),
});
