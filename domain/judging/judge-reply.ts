import { z } from 'zod';
import { replyRecordSchema } from '../questions/turn-record.js';

/** What a judge replied in one call. Stored before the activity completes, readable or not. */
export const judgeReplySchema = replyRecordSchema
  .pick({
    raw: true,
    reasoning: true,
    model: true,
    tokens: true,
    costUsd: true,
    charged: true,
    cacheHit: true,
    retries: true,
    startedAt: true,
    endedAt: true,
  })
  .extend({
    /** `requestKey` of what it answers. */
    request: z.string().regex(/^[0-9a-f]{32}$/),
    /** What of the evaluator it is about: `0`, and `0.2` for the third part of a logical function. */
    part: z.string().regex(/^\d+(\.\d+)*$/),
    /** Which call about that part, from 1. */
    number: z.int().min(1),
    /** By the token limit. */
    cutOff: z.boolean(),
  });
export type JudgeReply = Readonly<z.infer<typeof judgeReplySchema>>;
