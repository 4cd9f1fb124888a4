import { z } from 'zod';

/**
 * What a scorer concluded about one answer. `unscored` enters no mean:
 * - `outside-failure`: there is no answer, for reasons outside the model
 * - `no-evaluator`: the item names no evaluator
 * - `unknown-evaluator`: no function of that name
 * - `invalid-evaluator`: the item's options make no sense, whatever the answer
 * - `needs-judge`: only a judge model could tell, and the run has none
 * - `judge-unreadable`: what the judge replied, as often as it was asked, is no verdict
 * - `judge-unavailable`: the judge could not be asked, for reasons outside it
 * - `judges-tied`: as many judges found one thing as another
 */
export const verdictSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('scored'),
    score: z.number().min(0).max(1),
    /** On the scale of the function itself, where that goes further than 1: grades from 1 to 10. */
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
      'needs-judge',
      'judge-unreadable',
      'judge-unavailable',
      'judges-tied',
    ]),
    /** What is known beyond the reason. */
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
