import { z } from 'zod';
import { questionIdSchema } from '../ids.js';
import { usageSchema } from '../models/usage.js';
import { combinations } from './judging/judging-config.js';
import { verdictSchema } from './verdict.js';

/** The judges of an answer, their prompts and their verdicts. */
const judgementsSchema = z.object({
  /** The `judgePromptVersion`. */
  prompts: z.string(),
  combination: z.enum(combinations),
  judges: z
    .array(
      z.object({
        /** The name that the provider returned. The configured name if it never replied. */
        model: z.string(),
        calls: z.int().nonnegative(),
        verdict: verdictSchema,
      }),
    )
    .readonly(),
});
export type Judgements = Readonly<z.infer<typeof judgementsSchema>>;

/** A line of `scores.jsonl`. `score` repeats the number of the verdict, for queries with SQL; it is null if unscored. */
export const scoreSchema = z.object({
  uuid: questionIdSchema,
  epoch: z.int().min(1),
  /** As in its result. @defaultValue 1 */
  asking: z.int().min(1).optional(),
  /** The version of the run's scores that it was made for. @defaultValue 1: the run's own */
  version: z.int().min(2).optional(),
  score: z.number().nullable(),
  verdict: verdictSchema,
  /** The evaluation function, `eval_execution_match` with its rule. Null if the item has no evaluator. */
  scorer: z.string().nullable(),
  /** Absent if no judge was asked. */
  judging: judgementsSchema.optional(),
  /** The usage of the judges, which is not part of the question's usage. */
  judgeUsage: usageSchema.optional(),
  /** US dollars. Null if the price of a call is unknown. */
  judgeCostUsd: z.number().nonnegative().nullable().optional(),
});
export type Score = Readonly<z.infer<typeof scoreSchema>>;
