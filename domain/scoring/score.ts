import { z } from 'zod';
import { questionIdSchema } from '../ids.js';
import { usageSchema } from '../models/usage.js';
import { combinations } from './judging/judging-config.js';
import { verdictSchema } from './verdict.js';

/** Who judged an answer, by which prompts, and what each of them found. */
const judgementsSchema = z.object({
  /** `judgePromptVersion` of the program that asked. */
  prompts: z.string(),
  combination: z.enum(combinations),
  judges: z
    .array(
      z.object({
        /** As its provider names it; as the run does where it never replied. */
        model: z.string(),
        calls: z.int().nonnegative(),
        verdict: verdictSchema,
      }),
    )
    .readonly(),
});
export type Judgements = Readonly<z.infer<typeof judgementsSchema>>;

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
