import { z } from 'zod';
import type { HomeId } from '../../home.js';
import { jsonDumps, parseJson } from '../../formats/python/json.js';
import type { PythonValue } from '../../formats/python/value.js';
import { evaluatorSchema } from '../dataset-item.js';
import { scoringModes, type ScoringMode } from '../scorer-options.js';
import type { Case } from './judged-score.js';
import { judgingConfigSchema } from './judging-config.js';

/** A judging job: answers that are judged outside a run. The id is a hash of the job. */
export const judgingIdSchema = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .brand<'JudgingId'>();
export type JudgingId = z.infer<typeof judgingIdSchema>;

export const judgingWorkflowId = (home: HomeId, judging: JudgingId): string =>
  `${home}/judging/${judging}`;

/** An answer that needs a judge. */
const caseLineSchema = z.object({
  /** The folder of the judges' replies about the answer, relative to TURNWISE_HOME. */
  folder: z.string().min(1),
  /** JSON, in which `1` and `1.0` are different values. */
  answer: z.string(),
  evaluator: evaluatorSchema,
});
export type CaseLine = Readonly<z.infer<typeof caseLineSchema>>;

/** The file of a judging job. It never changes. */
export const judgingJobSchema = z.object({
  judging: judgingConfigSchema,
  mode: z.enum(scoringModes),
  cases: z.array(caseLineSchema).min(1).readonly(),
});
export type JudgingJob = Readonly<z.infer<typeof judgingJobSchema>>;

export const judgingsFolder = 'judgings';

/** For the files of its batches. */
export const judgingFolder = (judging: JudgingId): string => `${judgingsFolder}/${judging}`;

export const judgingFile = (judging: JudgingId): string => `${judgingFolder(judging)}.json`;

/** The folder of replies about an answer that belongs to no run. @param key - a hash of the answer and its evaluator */
export const judgementsFolder = (key: string): string => `judgements/${key.slice(0, 2)}/${key}`;

/** The `answer` field of a `CaseLine`. */
export const answerText = (answer: PythonValue): string =>
  jsonDumps(answer, { indent: null, ascii: false });

/** The inverse of `answerText`. */
export function caseOfLine(
  { answer, evaluator }: Pick<CaseLine, 'answer' | 'evaluator'>,
  mode: ScoringMode,
): Case {
  const parsed = parseJson(answer);
  const value = parsed.kind === 'invalid' ? { kind: 'str' as const, value: answer } : parsed.value;
  return { answer: value, evaluator, mode };
}
