import { z } from 'zod';

/**
 * What a scorer concluded about one answer. `unscored` enters no mean:
 * - `outside-failure`: there is no answer, for reasons outside the model
 * - `no-evaluator`: the item names no evaluator
 * - `unknown-evaluator`: no function of that name
 * - `invalid-evaluator`: the item's options make no sense, whatever the answer
 * - `needs-judge`: only a judge model could tell
 */
export const verdictSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('scored'),
    score: z.number().min(0).max(1),
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
    ]),
  }),
]);
export type Verdict = Readonly<z.infer<typeof verdictSchema>>;
export type UnscoredReason = Extract<Verdict, { kind: 'unscored' }>['reason'];

export const scored = (matches: boolean): Verdict => ({ kind: 'scored', score: matches ? 1 : 0 });

export const unscored = (reason: UnscoredReason): Verdict => ({ kind: 'unscored', reason });
