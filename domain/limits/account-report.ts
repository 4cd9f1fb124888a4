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

/** How well a limit is known. */
export const standingSchema = z.object({
  /** Whether `measured` is what a cut has left, and yet to be measured. */
  isGuess: z.boolean(),
  /** How long more has been sought than `measured`, as a pace counts it. Absent in reports of older versions. */
  beats: z.number().nonnegative().optional(),
  /** How many times `measured` was accepted before. Absent in reports of older versions. */
  proven: z.number().nonnegative().optional(),
});
export type Standing = Readonly<z.infer<typeof standingSchema>>;

/** As one worker knows it. */
export const knownLimitSchema = limitSchema.extend(standingSchema.shape);
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
  /** What it knows of strays; null before it has heard what others know, absent in older versions. */
  strays: z.number().nonnegative().nullish(),
});
export type AccountReport = Readonly<z.infer<typeof accountReportSchema>>;

/** What a worker may use of a limit: null for as much as it knows of. */
export const limitShareSchema = limitSchema.extend({
  /** How well others knew it, for a worker that knows nothing. */
  standing: standingSchema.optional(),
});
export type LimitShare = Readonly<z.infer<typeof limitShareSchema>>;

/** What a worker may use of each limit, and how long it has to leave the provider alone. */
export const accountShareSchema = z.object({
  requests: limitShareSchema,
  tokens: limitShareSchema,
  pauseMs: z.number().nonnegative(),
  /** What is known of strays; null where nobody answered, absent in older versions. */
  strays: z.number().nonnegative().nullish(),
});
export type AccountShare = Readonly<z.infer<typeof accountShareSchema>>;
