import { z } from 'zod';
import { failedAttemptsSchema } from './exchange.js';

const count = z.int().nonnegative();

/**
 * The attempts at one model call so far. Heartbeats pass the record from one attempt to the next. When the workflow starts the
 * activity again, the activity's input passes it on.
 */
export const callAttemptsSchema = z.object({
  /** Attempts that failed while the dependency answered others. `modelAttempts` limits them. */
  failed: count,
  /** Attempts whose worker was lost. No limit applies to them. */
  lost: count,
  /** The failed attempts that were sent and got no answer. They may be paid, like all lost ones. */
  unanswered: count.default(0),
  /** The failed attempts, and the requests that were refused and sent again. Absent for none. */
  failures: failedAttemptsSchema.optional(),
  /** What the current attempt does or waits for, as a text for users. */
  stage: z.string().optional(),
  /** A paid reply that could not be stored yet. */
  paid: z.unknown().optional(),
});
export type CallAttempts = Readonly<z.infer<typeof callAttemptsSchema>>;

export const noAttempts: CallAttempts = { failed: 0, lost: 0, unanswered: 0 };

/** The wait after the first failed attempt, if the provider states none. */
export const firstRetryMs = 1_000;

/** How long one attempt tries to store a paid reply. */
export const storeReplyForMs = 600_000;
