import { z } from 'zod';
import { questionIdSchema } from '../ids.js';
import { judgementsSchema } from '../judging/judgements.js';
import { verdictSchema } from '../scoring/verdict.js';
import { usageSchema } from '../usage.js';

/** A line of `scores.jsonl`. `score` repeats the verdict's number for those who read the file with SQL; null is not 0. */
export const scoreSchema = z.object({
  uuid: questionIdSchema,
  epoch: z.int().min(1),
  score: z.number().nullable(),
  verdict: verdictSchema,
  /** Name of the function that scored, or null where the item names none. */
  scorer: z.string().nullable(),
  /** What each judge found; absent where none was asked. */
  judging: judgementsSchema.optional(),
  /** Of the judges, and in none of the question's own. */
  judgeUsage: usageSchema.optional(),
  /** US dollars; null where a call's price is not known. */
  judgeCostUsd: z.number().nonnegative().nullable().optional(),
});
export type Score = Readonly<z.infer<typeof scoreSchema>>;
