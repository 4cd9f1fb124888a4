import { z } from 'zod';
import { amountSchema } from '../budget/amount.js';
import { runIdSchema, sampleKeySchema } from '../ids.js';

/** A question of a run, and one turn of it: all that activities are told; texts are in the run's files. */
export const questionRefSchema = sampleKeySchema.extend({ run: runIdSchema });
export type QuestionRef = Readonly<z.infer<typeof questionRefSchema>>;

export const turnRefSchema = questionRefSchema.extend({ turn: z.int().min(1) });
export type TurnRef = Readonly<z.infer<typeof turnRefSchema>>;

/** Why a question waits between two turns. Nothing of it is lost, and no attempt is used up. */
export const waitReasons = ['rate-limit', 'quota', 'budget', 'run', 'retries-exhausted'] as const;
export type WaitReason = (typeof waitReasons)[number];

/** A model call that was not made, and why. */
export const deferralSchema = z.object({
  kind: z.literal('deferred'),
  reason: z.enum(waitReasons),
  message: z.string(),
  /** When it may be tried again; null where that is not a matter of time. */
  retryAfterMs: z.number().nonnegative().nullable(),
  /** What the call would have reserved, where a budget refused it. */
  need: amountSchema.optional(),
});
export type Deferral = Readonly<z.infer<typeof deferralSchema>>;

/** The question's own budget does not allow another call: it ends. */
export interface BudgetStop {
  readonly kind: 'budget-stop';
}
