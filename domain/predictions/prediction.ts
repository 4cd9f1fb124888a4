import { z } from 'zod';
import { questionIdSchema, type SampleKey } from '../ids.js';
import { outcomeSchema, type OutcomeKind } from '../questions/outcome.js';
import type { PythonValue } from '../python/value.js';

/** A line of a file of predictions: one of the reference's `result.jsonl`, or of a run's `results.jsonl`. */
export const predictionSchema = z.looseObject({
  uuid: questionIdSchema,
  epoch: z.int().min(1).default(1),
  answer: z.json(),
  outcome: outcomeSchema.default({ kind: 'answered' }),
});

/** An answer that is to be scored. */
export interface Prediction extends SampleKey {
  /** As it stands in the file, `1` and `1.0` told apart; null where there is none. */
  readonly answer: PythonValue | null;
  readonly outcome: OutcomeKind;
}
