import type { Evaluator } from '../questions/evaluator.js';
import { goldTexts } from '../scoring/gold-texts.js';

/** What an item's evaluator takes for right, a line each: all its options where none of them is known to say so. */
export function goldText(evaluator: Evaluator | undefined): string {
  if (evaluator === undefined) return '';
  const texts = goldTexts(evaluator);
  return texts.length > 0 ? texts.join('\n') : JSON.stringify(evaluator.eval_kwargs);
}
