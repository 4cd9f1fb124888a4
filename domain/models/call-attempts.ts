import { z } from 'zod';

const count = z.int().nonnegative();

/**
 * What the attempts at one model call came to so far. The record travels in heartbeats from one attempt to the next,
 * and in the activity's input from one round of Temporal's retries to the next.
 */
export const callAttemptsSchema = z.object({
  /** Attempts that failed for a reason that may pass. `modelAttempts` limits these. */
  failed: count,
  /** Attempts that were lost with their workers. They count against no limit. */
  lost: count,
  /** What the attempt under way does or waits for, for people. */
  stage: z.string().optional(),
  /** A reply that is paid for and could not be stored. */
  paid: z.unknown().optional(),
});
export type CallAttempts = Readonly<z.infer<typeof callAttemptsSchema>>;

export const noAttempts: CallAttempts = { failed: 0, lost: 0 };

/** The wait after a failed attempt, where the provider names none. */
export const firstRetryMs = 1_000;

/** How long one attempt keeps trying to store a reply that is paid for. */
export const storeReplyForMs = 600_000;
