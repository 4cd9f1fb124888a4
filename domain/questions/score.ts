import { z } from 'zod';
import { questionIdSchema } from '../ids.js';
import { verdictSchema } from '../scoring/verdict.js';

/** A line of `scores.jsonl`. `score` repeats the verdict's number for those who read the file with SQL; null is not 0. */
export const scoreSchema = z.object({
  uuid: questionIdSchema,
  epoch: z.int().min(1),
  score: z.number().nullable(),
  verdict: verdictSchema,
  /** Name of the function that scored, or null where the item names none. */
  scorer: z.string().nullable(),
});
export type Score = Readonly<z.infer<typeof scoreSchema>>;
