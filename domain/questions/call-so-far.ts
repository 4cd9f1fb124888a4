import { z } from 'zod';
import type { JudgeReply } from '../judging/judge-reply.js';
import type { ReplyRecord } from './turn-record.js';

/**
 * What was done for a call before. It goes with the call from the worker that tried it first to the queue, there in
 * heartbeats from try to try, and from one round of tries to the next.
 */
export interface CallSoFar {
  /** Tries that failed. Those that were lost with their workers are none. */
  readonly tries?: number;
  /** Tries that were lost with their workers, in earlier rounds. */
  readonly lost?: number;
  /** A reply that is paid for and could not be stored. */
  readonly paid?: ReplyRecord | JudgeReply;
}

/** What of it is in the heartbeats of a try before, which may have told nothing. */
export const leftByTrySchema = z
  .object({ tries: z.int().nonnegative().optional(), paid: z.unknown().optional() })
  .catch({});
