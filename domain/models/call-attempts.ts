import { z } from 'zod';
import { failureNameSchema } from '../failure-type.js';
import { fileContentSchema } from '../file-content.js';

const { sha256 } = fileContentSchema.shape;

/** A request to a model and the reply to it, by SHA-256 of their bodies: no text, no header and no address. */
export const exchangeSchema = z.object({
  request: sha256,
  /** Absent where no whole reply came. */
  reply: sha256.optional(),
  /** What the provider calls its reply. Absent where the body does not say. */
  id: z
    .string()
    .regex(/^[\w.:+/=-]{1,200}$/)
    .optional(),
});
export type Exchange = Readonly<z.infer<typeof exchangeSchema>>;

/** A failed attempt at a model call, or a request of it that was refused and sent again. Without `request`, nothing was sent. */
const failedAttemptSchema = exchangeSchema.partial({ request: true }).extend({
  /** When it was sent. */
  at: z.string(),
  /** Of HTTP. Absent, like the reply, where no whole reply came. */
  status: z.int().optional(),
  failure: failureNameSchema,
});
export type FailedAttempt = Readonly<z.infer<typeof failedAttemptSchema>>;
export type FailedExchange = Omit<FailedAttempt, 'failure'>;

export const failedAttemptsSchema = z.object({
  /** Of all. */
  count: z.int().positive(),
  /** The last of them, in order. */
  latest: z.array(failedAttemptSchema).readonly(),
});
type FailedAttempts = Readonly<z.infer<typeof failedAttemptsSchema>>;

/** They stand in heartbeats and histories, and so are few. */
const mostKept = 5;

export const addFailedAttempt = (
  before: FailedAttempts | undefined,
  failed: FailedAttempt,
): FailedAttempts => ({
  count: (before?.count ?? 0) + 1,
  latest: [...(before?.latest ?? []), failed].slice(-mostKept),
});

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
