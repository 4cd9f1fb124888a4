import type { PythonValue } from '../python/value.js';
import { EvaluatorError, type Comparison } from './comparison.js';
import { ratio } from './fuzzy-measures.js';
import { thresholdOf } from './match-string.js';
import { required } from './options.js';

/** Whether the answer is the title of the paper asked for, or of one of them, nearly letter by letter. */
export function isRelevantPaper(answer: PythonValue, comparison: Comparison): boolean {
  required(comparison.options, 'question');
  const reference = required(comparison.options, 'reference_answer');
  if (answer.kind !== 'str') throw new EvaluatorError('the answer is no text');
  const given = answer.value.toLowerCase();
  const isTitle = (title: PythonValue): boolean => {
    if (title.kind !== 'str') throw new EvaluatorError('a reference answer is no text');
    return ratio(given, title.value.toLowerCase()) >= thresholdOf(comparison, 95);
  };
  if (reference.kind === 'str') return isTitle(reference);
  if (reference.kind === 'list') return reference.items.some(isTitle);
  if (comparison.mode === 'default') throw new EvaluatorError('reference_answer is no text');
  return false;
}
