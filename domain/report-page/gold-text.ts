import type { Evaluator } from '../questions/evaluator.js';

/** What an item's evaluator compares answers with: its gold, or all its options where none of them is called so. */
export function goldText(evaluator: Evaluator | undefined): string {
  if (evaluator === undefined) return '';
  const { eval_kwargs: options } = evaluator;
  const gold = options['gold'] ?? options['reference_answer'] ?? options;
  return typeof gold === 'string' ? gold : JSON.stringify(gold);
}
