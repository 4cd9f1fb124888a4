import { z } from 'zod';
import { evaluatorSchema } from './evaluator.js';
import { questionIdSchema } from '../ids.js';

/**
 * One line of a dataset, in the shape of the reference's test items. Only `uuid` and `question` are required;
 * keys that are not named here are kept.
 */
export const datasetItemSchema = z.looseObject({
  uuid: questionIdSchema,
  question: z.string().trim().min(1, 'must not be empty'),
  answer_format: z.string().default(''),
  tags: z.array(z.string()).default([]),
  anchor_pdf: z.array(z.string()).default([]),
  reference_pdf: z.array(z.string()).default([]),
  conference: z.array(z.string()).default([]),
  evaluator: evaluatorSchema.optional(),
});
export type DatasetItem = Readonly<z.infer<typeof datasetItemSchema>>;
