import { z } from 'zod';
import { verdictSchema } from '../scoring/verdict.js';
import { combinations } from './panel.js';

/** Who judged an answer, by which prompts, and what each of them found. */
export const judgementsSchema = z.object({
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
