import { z } from 'zod';
import { outageSchema } from './circuit-breaker.js';

const count = z.int().nonnegative();

/** One limit, in units a minute. */
const limitSchema = z.object({
  /** The limit that the provider states. Null if it states none. */
  advertised: z.number().nonnegative().nullable(),
  /** The limit that accepted calls and 429s show. Null before the first 429. */
  estimated: z.number().nonnegative().nullable(),
});
export type Limit = Readonly<z.infer<typeof limitSchema>>;

/** How an estimate was found, so that a new worker can continue from it. */
export const evidenceSchema = z.object({
  /** Whether the estimate is only the rate after a cut, and not a measured one. */
  isGuess: z.boolean(),
  /** How long calls have waited at this estimate. The pace grows with this time. */
  probingSeconds: z.number().nonnegative(),
  /** The highest accepted rate, as a multiple of the estimate. */
  acceptedRatio: z.number().nonnegative(),
});
export type Evidence = Readonly<z.infer<typeof evidenceSchema>>;

/** A limit as one worker knows it. */
const knownLimitSchema = limitSchema.extend({ evidence: evidenceSchema });
export type KnownLimit = Readonly<z.infer<typeof knownLimitSchema>>;

/** Why calls wait, the most severe reason first. `refused`: the provider refuses every call. `quota`: the account has no credit. */
export const callWaitReasons = [
  'quota',
  'retry-after',
  'refused',
  'tokens',
  'requests',
  'concurrency',
] as const;
export type CallWaitReason = (typeof callWaitReasons)[number];

/** What a worker with calls waiting or in flight reports every few seconds. */
export const accountReportSchema = z.object({
  worker: z.string().min(1),
  /** The period of the counts, in milliseconds. */
  overMs: z.number().positive(),
  accepted: count,
  acceptedTokens: z.number().nonnegative(),
  refused: count,
  waiting: count,
  inFlight: count,
  requests: knownLimitSchema,
  tokens: knownLimitSchema,
  /** Null if no call waits. */
  waitsFor: z.enum(callWaitReasons).nullable(),
  /** The rest of the pause that the provider asked for. */
  pauseMs: z.number().nonnegative(),
  /** How many spurious 429s the worker remembers. Null until it has received the number of the other workers. */
  spurious429s: z.number().nonnegative().nullable(),
  /** What every call of the worker fails of. Null while some are answered. */
  outage: outageSchema.nullable(),
});
export type AccountReport = Readonly<z.infer<typeof accountReportSchema>>;

/** What a worker may use of one limit. Where a number is null, the worker uses its own. */
const limitShareSchema = limitSchema.extend({
  /** Only for a worker without an estimate. */
  evidence: evidenceSchema.optional(),
});
export type LimitShare = Readonly<z.infer<typeof limitShareSchema>>;

/** What a worker may use of each limit, and for how long it must send nothing. */
export const accountShareSchema = z.object({
  requests: limitShareSchema,
  tokens: limitShareSchema,
  pauseMs: z.number().nonnegative(),
  /** How many spurious 429s the other workers remember. Null if the coordinator did not answer. */
  spurious429s: z.number().nonnegative().nullable(),
  /** What every call of another worker fails of. */
  outage: outageSchema.nullable(),
});
export type AccountShare = Readonly<z.infer<typeof accountShareSchema>>;

/** The share if the coordinator does not answer: the worker uses its own estimates. */
export const localEstimates: AccountShare = {
  requests: { advertised: null, estimated: null },
  tokens: { advertised: null, estimated: null },
  pauseMs: 0,
  spurious429s: null,
  outage: null,
};

export type Counts = Pick<AccountReport, 'overMs' | 'accepted' | 'acceptedTokens' | 'refused'>;

/** Counts the calls that ended since the last report. */
export class CallCounts {
  #accepted = 0;
  #acceptedTokens = 0;
  #refused = 0;
  #reportedAtMs: number;

  constructor(startMs: number) {
    this.#reportedAtMs = startMs;
  }

  recordAccepted(tokens: number): void {
    this.#accepted += 1;
    this.#acceptedTokens += tokens;
  }

  recordRefused(): void {
    this.#refused += 1;
  }

  /** Returns the counts and starts again from 0. */
  reset(nowMs: number): Counts {
    const counts = {
      overMs: Math.max(1, nowMs - this.#reportedAtMs),
      accepted: this.#accepted,
      acceptedTokens: this.#acceptedTokens,
      refused: this.#refused,
    };
    this.#accepted = 0;
    this.#acceptedTokens = 0;
    this.#refused = 0;
    this.#reportedAtMs = nowMs;
    return counts;
  }
}
