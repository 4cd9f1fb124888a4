import { z } from 'zod';

const count = z.int().nonnegative();

/** One limit, in units a minute. */
export const limitSchema = z.object({
  /** As the provider states it; null where it does not. */
  told: z.number().nonnegative().nullable(),
  /** As refusals have shown it; null where there were none. */
  measured: z.number().nonnegative().nullable(),
});
export type Limit = Readonly<z.infer<typeof limitSchema>>;

/** As one worker knows it. */
export const knownLimitSchema = limitSchema.extend({
  /** Whether `measured` is what a cut has left, and yet to be measured. */
  isGuess: z.boolean(),
});
export type KnownLimit = Readonly<z.infer<typeof knownLimitSchema>>;

/** What calls wait for: a pace, their number, a `retry-after`, a provider that refuses everything, or credit. */
export const holds = [
  'requests',
  'tokens',
  'concurrency',
  'retry-after',
  'refused',
  'quota',
] as const;
export type Hold = (typeof holds)[number];

/** What a worker with calls under way says every few seconds. */
export const accountReportSchema = z.object({
  worker: z.string().min(1),
  /** What the counts are of, in milliseconds. */
  overMs: z.number().positive(),
  accepted: count,
  acceptedTokens: z.number().nonnegative(),
  refused: count,
  waiting: count,
  inFlight: count,
  requests: knownLimitSchema,
  tokens: knownLimitSchema,
  /** Null where nothing waits. */
  hold: z.enum(holds).nullable(),
  /** How long the provider wants to be left alone. */
  pauseMs: z.number().nonnegative(),
});
export type AccountReport = Readonly<z.infer<typeof accountReportSchema>>;

/** What a worker may use of each limit, null for all of it, and how long it has to leave the provider alone. */
export const accountShareSchema = z.object({
  requests: limitSchema,
  tokens: limitSchema,
  pauseMs: z.number().nonnegative(),
});
export type AccountShare = Readonly<z.infer<typeof accountShareSchema>>;
