import { isBlank, str, strip } from '../formats/python/text.js';
import { pythonFromJson, type PythonValue } from '../formats/python/value.js';
import { innerEvaluators, type Evaluator } from './dataset-item.js';
import { fuzzMethod } from './fuzzy-matching.js';
import {
  EvaluatorError,
  isEnabled,
  numberOption,
  signatures,
  textOption,
  type Comparison,
  type Options,
} from './scorer-options.js';

/** Whether two texts are equal, after `lowercase` and `ignore_blank`. */
export function matchesExactly(
  answer: PythonValue,
  gold: PythonValue,
  { options }: Comparison,
): boolean {
  return normalText(answer, options, '') === normalText(gold, options, '');
}

/** Whether the similarity by `fuzz_method`, from 0 to 100, is at least `threshold`. */
export function matchesFuzzily(
  answer: PythonValue,
  gold: PythonValue,
  comparison: Comparison,
): boolean {
  const { options, mode } = comparison;
  const name = textOption(options, 'fuzz_method', 'ratio');
  const measure = fuzzMethod(name, mode);
  if (!measure) throw new EvaluatorError(`fuzz_method ${name} is unknown`);
  const gap = name === 'token_sort_ratio' || name === 'token_set_ratio' ? ' ' : '';
  const similarity = measure(normalText(answer, options, gap), normalText(gold, options, gap));
  return similarity >= thresholdOf(comparison, 95);
}

/** A fuzzy match if `threshold` is above 0, else an exact one. */
export function matchesText(
  answer: PythonValue,
  gold: PythonValue,
  comparison: Comparison,
): boolean {
  return thresholdOf(comparison, -1) > 0
    ? matchesFuzzily(answer, gold, comparison)
    : matchesExactly(answer, gold, comparison);
}

/** Default mode reads a threshold up to 1 as a fraction. The reference always reads a number from 0 to 100. */
export function thresholdOf({ options, mode }: Comparison, otherwise: number): number {
  const threshold = numberOption(options, 'threshold', otherwise);
  return mode === 'default' && threshold > 0 && threshold <= 1 ? threshold * 100 : threshold;
}

/** Stripped; with `ignore_blank` each run of blanks becomes `gap`. */
function normalText(value: PythonValue, options: Options, gap: string): string {
  const stripped = strip(str(value));
  const text = isEnabled(options, 'ignore_blank')
    ? Array.from(stripped, (char) => (isBlank(char) ? ' ' : char))
        .join('')
        .replace(/ +/g, gap)
    : stripped;
  return isEnabled(options, 'lowercase') ? text.toLowerCase() : text;
}

const golds = [
  'gold',
  'reference_answer',
  'candidate_reference_answers',
  'scoring_points',
  'formulas',
];

/** The right answers of an evaluator as texts: gold, reference answer, scoring points. */
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
