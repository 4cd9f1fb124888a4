import { z } from 'zod';
import { amountSchema } from '../budget/amount.js';
import { failureNameSchema } from '../failure-type.js';
import { runIdSchema, sampleKeySchema } from '../ids.js';

/** A sample of a run. Activities get only references; the texts are in the run's files. */
export const questionRefSchema = sampleKeySchema.extend({
  run: runIdSchema,
  /** What comes late of an earlier asking stays with it. @defaultValue 1 for workflows, otherwise the current one */
  asking: z.int().min(1).optional(),
});
export type QuestionRef = Readonly<z.infer<typeof questionRefSchema>>;

/** Without what else an input holds. */
export const questionRefOf = ({ run, uuid, epoch, asking = 1 }: QuestionRef): QuestionRef => ({
  run,
  uuid,
  epoch,
  asking,
});

export const turnRefSchema = questionRefSchema.extend({ turn: z.int().min(1) });
export type TurnRef = Readonly<z.infer<typeof turnRefSchema>>;

/** Why a question waits between two turns. Such a wait does not count as an attempt. */
export const waitReasons = ['rate-limit', 'quota', 'budget', 'run', 'outage', 'pause'] as const;
export type WaitReason = (typeof waitReasons)[number];

/** The result of a model call that was not made. */
export const deferralSchema = z.object({
  kind: z.literal('deferred'),
  reason: z.enum(waitReasons),
  message: z.string(),
  /** When to try again. Null if waiting does not help. */
  retryAfterMs: z.number().nonnegative().nullable(),
  /** The reservation that the run's budget did not allow. Absent for other reasons. */
  need: amountSchema.optional(),
  /** What fails. Absent for other reasons than an outage. */
  failure: failureNameSchema.optional(),
});
export type Deferral = Readonly<z.infer<typeof deferralSchema>>;

/** The question's budget does not allow another call, so the question ends. */
export interface BudgetStop {
  readonly kind: 'budget-stop';
}
