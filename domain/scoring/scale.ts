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
