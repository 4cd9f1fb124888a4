import { z } from 'zod';
import { add, amountSchema, noAmount, type Amount } from '../../budget/amount.js';
import { jsonDumps, parseJson } from '../../formats/python/json.js';
import type { PythonValue } from '../../formats/python/value.js';
import { evaluatorSchema } from '../dataset-item.js';
import { scoringModes, type ScoringMode } from '../scorer-options.js';
import type { Case } from './judged-score.js';
import { judgingConfigSchema } from './judging-config.js';

/** Answers that are judged without a run that is under way. A fingerprint of all that is in it. */
export const judgingIdSchema = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .brand<'JudgingId'>();
export type JudgingId = z.infer<typeof judgingIdSchema>;

export const judgingWorkflowId = (judging: JudgingId): string => `judging/${judging}`;

/** An answer that needs a judge. */
export const caseLineSchema = z.object({
  /** Of what judges said about it, inside TURNWISE_HOME. */
  folder: z.string().min(1),
  /** JSON, in which `1` and `1.0` are two things. */
  answer: z.string(),
  evaluator: evaluatorSchema,
});
export type CaseLine = Readonly<z.infer<typeof caseLineSchema>>;

/** Who judges, and what: a file that stays as it is. */
export const judgingJobSchema = z.object({
  judging: judgingConfigSchema,
  mode: z.enum(scoringModes),
  cases: z.array(caseLineSchema).min(1).readonly(),
});
export type JudgingJob = Readonly<z.infer<typeof judgingJobSchema>>;

export const judgingFile = (judging: JudgingId): string => `judgings/${judging}.json`;

/** Of answers that are no run's. @param key - equal for equal answers by equal evaluators */
export const judgementsFolder = (key: string): string => `judgements/${key.slice(0, 2)}/${key}`;

/** More answers than this that could not be judged end a judging: what is wrong with them is wrong with all. */
export const maxFailures = 200;

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

export const noProgress: JudgingProgress = { next: 0, calls: 0, spent: noAmount, failures: [] };

export const recordCall = (progress: JudgingProgress, spent: Amount): JudgingProgress => ({
  ...progress,
  calls: progress.calls + 1,
  spent: add(progress.spent, spent),
});

/** @param spent - what the failed call may have cost all the same */
export const recordFailure = (
  progress: JudgingProgress,
  failure: JudgementFailure,
  spent: Amount,
): JudgingProgress => ({
  ...progress,
  spent: add(progress.spent, spent),
  failures: [...progress.failures, failure],
});

/** An answer as a line of a job holds it. */
export const answerText = (answer: PythonValue): string =>
  jsonDumps(answer, { indent: null, ascii: false });

/** What `answerText` has written, back. */
export function caseOfLine(
  { answer, evaluator }: Pick<CaseLine, 'answer' | 'evaluator'>,
  mode: ScoringMode,
): Case {
  const parsed = parseJson(answer);
  const value = parsed.kind === 'invalid' ? { kind: 'str' as const, value: answer } : parsed.value;
  return { answer: value, evaluator, mode };
}
