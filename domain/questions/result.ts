import { z } from 'zod';
import { questionIdSchema } from '../ids.js';
import { outcomeSchema } from './outcome.js';
import { toolStatsSchema } from './tool-stats.js';
import { usageSchema } from '../usage.js';

/** A line of `results.jsonl`: how one question ended, in one epoch. */
export const resultSchema = z.object({
  uuid: questionIdSchema,
  epoch: z.int().min(1),
  /** The answer as Python text, as the reference's evaluators expect it; null where there is none. */
  answer: z.string().nullable(),
  outcome: outcomeSchema,
  turns: z.int().nonnegative(),
  usage: usageSchema,
  /** US dollars; null where a call's price is not known. Replies from the cache cost nothing. */
  costUsd: z.number().nonnegative().nullable(),
  /** The model that answered, as its provider names it; null where it never did. */
  model: z.string().nullable(),
  startedAt: z.string(),
  endedAt: z.string(),
  /** Path inside the run's folder. */
  trajectory: z.string(),
  tools: toolStatsSchema,
});
export type Result = Readonly<z.infer<typeof resultSchema>>;
