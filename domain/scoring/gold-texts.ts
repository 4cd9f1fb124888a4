import { str } from '../python/text.js';
import { pythonFromJson } from '../python/value.js';
import { innerEvaluators, type Evaluator } from '../questions/evaluator.js';
import { signatures } from './signatures.js';

const golds = [
  'gold',
  'reference_answer',
  'candidate_reference_answers',
  'scoring_points',
  'formulas',
];

/** What an evaluator takes for right, a text each, written as answers are: gold, reference answer, scoring points. */
export function goldTexts(evaluator: Evaluator | undefined): readonly string[] {
  if (evaluator === undefined || !signatures.has(evaluator.eval_func)) return [];
  const { eval_func: name, eval_kwargs: options } = evaluator;
  const inner = innerEvaluators(name, options).flatMap((each) =>
    'severity' in each ? [] : goldTexts(each),
  );
  if (inner.length > 0)
    return name === 'eval_negation' ? inner.map((text) => `not ${text}`) : inner;
  return golds.flatMap((gold) => {
    const value = options[gold];
    return value === undefined ? [] : [str(pythonFromJson(value))];
  });
}
