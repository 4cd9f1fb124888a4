import { z } from 'zod';
import { evaluatorSchema } from '../questions/evaluator.js';
import { scoringModes } from '../runs/score-versions.js';
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
