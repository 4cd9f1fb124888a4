import { z } from 'zod';

const count = z.int().nonnegative();

/** One limit, in units a minute. */
export const limitSchema = z.object({
  /** As the provider states it. Null where it does not. */
  advertised: z.number().nonnegative().nullable(),
  /** As refusals have shown it. Null before the first one. */
  estimated: z.number().nonnegative().nullable(),
});
export type Limit = Readonly<z.infer<typeof limitSchema>>;

/** How an estimate was found, so that another worker can go on from there. */
export const evidenceSchema = z.object({
  /** Whether the estimate is what a cut has left, and is still to be measured. */
  isGuess: z.boolean(),
  /** How long calls have waited at this estimate: the pace probes for more the longer they do. */
  probingSeconds: z.number().nonnegative(),
  /** The highest accepted rate, as a multiple of the estimate. */
  acceptedRatio: z.number().nonnegative(),
});
export type Evidence = Readonly<z.infer<typeof evidenceSchema>>;

/** A limit as one worker knows it. */
export const knownLimitSchema = limitSchema.extend({ evidence: evidenceSchema });
export type KnownLimit = Readonly<z.infer<typeof knownLimitSchema>>;

/** What calls may wait for. `refused`: the provider refuses every call. `quota`: the account has no credit. */
export const callWaitReasons = [
  'quota',
  'retry-after',
  'refused',
  'tokens',
  'requests',
  'concurrency',
] as const;
export type CallWaitReason = (typeof callWaitReasons)[number];

/** What a worker with calls under way reports every few seconds. */
export const accountReportSchema = z.object({
  worker: z.string().min(1),
  /** The time that the counts cover, in milliseconds. */
  overMs: z.number().positive(),
  accepted: count,
  acceptedTokens: z.number().nonnegative(),
  refused: count,
  waiting: count,
  inFlight: count,
  requests: knownLimitSchema,
  tokens: knownLimitSchema,
  /** Null where no call waits. */
  waitsFor: z.enum(callWaitReasons).nullable(),
  /** How long the provider asked to send nothing. */
  pauseMs: z.number().nonnegative(),
  /** How many spurious 429s the worker remembers. Null before it has heard what the others remember. */
  spurious429s: z.number().nonnegative().nullable(),
});
export type AccountReport = Readonly<z.infer<typeof accountReportSchema>>;

/** What a worker may use of one limit. Null where its own figure stands. */
export const limitShareSchema = limitSchema.extend({
  /** For a worker that has no estimate of its own. */
  evidence: evidenceSchema.optional(),
});
export type LimitShare = Readonly<z.infer<typeof limitShareSchema>>;

/** What a worker may use of each limit, and for how long it must send nothing. */
export const accountShareSchema = z.object({
  requests: limitShareSchema,
  tokens: limitShareSchema,
  pauseMs: z.number().nonnegative(),
  /** How many spurious 429s the other workers remember. Null where no coordinator answered. */
  spurious429s: z.number().nonnegative().nullable(),
});
export type AccountShare = Readonly<z.infer<typeof accountShareSchema>>;

/** The share of a worker that no coordinator answers: its own estimates stand. */
export const localEstimates: AccountShare = {
  requests: { advertised: null, estimated: null },
  tokens: { advertised: null, estimated: null },
  pauseMs: 0,
  spurious429s: null,
};
