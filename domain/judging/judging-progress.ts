import { z } from 'zod';
import { add, amountSchema, nothing, type Amount } from '../budget/amount.js';

/** More answers than this that could not be judged end a judging: what is wrong with them is wrong with all. */
export const mostFailures = 200;

/** One call that has to be made. Indices are from 0. */
export interface OpenJudgement {
  /** Of the case in its job. */
  readonly index: number;
  /** In the order of the judges. */
  readonly judge: number;
  /** What the call costs at worst. */
  readonly need: Amount;
}

export const judgementFailureSchema = z.object({
  index: z.int().nonnegative(),
  judge: z.int().nonnegative(),
  message: z.string(),
});
export type JudgementFailure = Readonly<z.infer<typeof judgementFailureSchema>>;

/** How far a judging is; what was said is in files. Carried from history to history. */
export const judgingProgressSchema = z.object({
  /** The first case that was not looked at. */
  next: z.int().nonnegative(),
  calls: z.int().nonnegative(),
  spent: amountSchema,
  failures: z.array(judgementFailureSchema).readonly(),
});
export type JudgingProgress = Readonly<z.infer<typeof judgingProgressSchema>>;

export const noProgress: JudgingProgress = { next: 0, calls: 0, spent: nothing, failures: [] };

export const noteCall = (progress: JudgingProgress, spent: Amount): JudgingProgress => ({
  ...progress,
  calls: progress.calls + 1,
  spent: add(progress.spent, spent),
});

/** @param spent - what the failed call may have cost all the same */
export const noteFailure = (
  progress: JudgingProgress,
  failure: JudgementFailure,
  spent: Amount,
): JudgingProgress => ({
  ...progress,
  spent: add(progress.spent, spent),
  failures: [...progress.failures, failure],
});
