import { z } from 'zod';
import { actionSchema } from '../actions/action.js';

/** What the model said in one turn and what was read from it. Stored before the activity completes. */
export const replyRecordSchema = z.object({
  turn: z.int().min(1),
  /** As received. */
  raw: z.string(),
  reading: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('action'), thought: z.string(), action: actionSchema }),
    z.object({ kind: z.literal('error'), error: z.string() }),
  ]),
  /** As the provider names it. */
  model: z.string(),
  /** Null where the provider reports none. */
  tokens: z
    .object({
      prompt: z.int().nonnegative(),
      completion: z.int().nonnegative(),
      cached: z.int().nonnegative(),
    })
    .nullable(),
  /** Attempts before this one that were refused or lost. */
  retries: z.int().nonnegative(),
  startedAt: z.string(),
  endedAt: z.string(),
});
export type ReplyRecord = Readonly<z.infer<typeof replyRecordSchema>>;

/** What came of a turn's action, as the model is told. */
export const observationRecordSchema = z.object({
  turn: z.int().min(1),
  content: z.string(),
  startedAt: z.string(),
  endedAt: z.string(),
});
export type ObservationRecord = Readonly<z.infer<typeof observationRecordSchema>>;
