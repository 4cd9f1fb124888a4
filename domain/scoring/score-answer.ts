import { pythonFromJson, type PythonValue } from '../python/value.js';
import type { Evaluator } from '../questions/evaluator.js';
import { EvaluatorError, type Options, type ScoringMode } from './comparison.js';
import { scorerOf } from './scorers.js';
import { scored, unscored, type Verdict } from './verdict.js';

/** What the reference takes for an answer that was never given. */
const errorMark = '[ERROR]:';

/** Scores an answer as its evaluator says, as far as that takes no judge. `answer` is Python text, as the reference's agents give it. */
export function scoreAnswer({
  answer,
  evaluator,
  mode,
}: {
  readonly answer: string;
  readonly evaluator: Evaluator;
  readonly mode: ScoringMode;
}): Verdict {
  const options = Object.entries(evaluator.eval_kwargs).map(
    ([name, value]) => [name, pythonFromJson(value)] as const,
  );
  return scoreValue({ kind: 'str', value: answer }, evaluator.eval_func, new Map(options), mode);
}

/** `scoreAnswer` for an answer and options of any Python type. */
export function scoreValue(
  answer: PythonValue,
  functionName: string,
  options: Options,
  mode: ScoringMode,
): Verdict {
  const scorer = scorerOf(functionName);
  if (!scorer) return unscored('unknown-evaluator');
  if (answer.kind === 'str' && answer.value.startsWith(errorMark)) return scored(false);
  try {
    return scorer(answer, { options, mode });
  } catch (error) {
    if (!(error instanceof EvaluatorError)) throw error;
    // To the reference whatever raises is a wrong answer.
    return mode === 'strict' ? scored(false) : unscored('invalid-evaluator');
  }
}
