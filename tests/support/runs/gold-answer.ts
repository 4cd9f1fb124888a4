import { z } from 'zod';
import { evaluatorSchema, type Evaluator } from '../../../domain/scoring/dataset-item.js';
import type { ExactJson } from '../../../domain/formats/json.js';

const partsSchema = z.object({
  eval_func_list: z.array(z.string()),
  eval_kwargs_list: z.array(evaluatorSchema.shape.eval_kwargs),
});

/** A right answer, where the evaluator has one that is no judge's business. */
export function goldAnswer({ eval_func, eval_kwargs }: Evaluator): ExactJson {
  if (eval_func === 'eval_conjunction') {
    const { eval_func_list, eval_kwargs_list } = partsSchema.parse(eval_kwargs);
    return eval_func_list.map((name, index) =>
      goldAnswer({ eval_func: name, eval_kwargs: eval_kwargs_list[index] ?? {} }),
    );
  }
  const gold = eval_kwargs['gold'] ?? eval_kwargs['reference_answer'] ?? 'an answer';
  return eval_func === 'eval_element_included' && Array.isArray(gold)
    ? ((gold as readonly ExactJson[])[0] ?? null)
    : gold;
}
