import { endedForOutsideReasons, type OutcomeKind } from '../agent/question-result.js';
import { pythonFromJson, type PythonValue } from '../formats/python/value.js';
import type { Evaluator } from './dataset-item.js';
import type { Judge } from './judging/judge-request.js';
import {
  EvaluatorError,
  type Comparison,
  type Finding,
  type ScoringMode,
} from './scorer-options.js';
import { scorerOf } from './scorers.js';
import { scored, unscored, type Verdict } from './verdict.js';

/** What the reference takes for an answer that was never given. */
const errorMark = '[ERROR]:';

export interface Scoring {
  /** Python text, as the reference's agents give it. */
  readonly answer: string;
  readonly evaluator: Evaluator;
  readonly mode: ScoringMode;
}

/** Scores an answer as its evaluator says, as far as that takes no judge. */
export function scoreAnswer(scoring: Scoring): Verdict {
  const finding = judgeAnswer({ ...scoring, judge: null });
  return finding.kind === 'open' ? unscored('needs-judge') : finding;
}

/** The same with a judge: a verdict, or what the judge has to be asked beyond what it has said. */
export const judgeAnswer = ({
  answer,
  ...judging
}: Scoring & { readonly judge: Judge | null }): Finding =>
  judgeValue({ ...judging, answer: { kind: 'str', value: answer } });

/** `judgeAnswer` for an answer of any Python type. */
export function judgeValue({
  answer,
  evaluator,
  mode,
  judge,
}: Omit<Scoring, 'answer'> & {
  readonly answer: PythonValue;
  readonly judge: Judge | null;
}): Finding {
  const options = Object.entries(evaluator.eval_kwargs).map(
    ([name, value]) => [name, pythonFromJson(value)] as const,
  );
  return scoreValue(answer, evaluator.eval_func, {
    options: new Map(options),
    mode,
    part: '0',
    judge,
  });
}

/** `judgeValue` for options of any Python type. */
export function scoreValue(
  answer: PythonValue,
  functionName: string,
  comparison: Comparison,
): Finding {
  const scorer = scorerOf(functionName);
  if (!scorer) return unscored('unknown-evaluator');
  if (answer.kind === 'str' && answer.value.startsWith(errorMark)) return scored(false);
  try {
    return scorer(answer, comparison);
  } catch (error) {
    if (!(error instanceof EvaluatorError)) throw error;
    // To the reference whatever raises is a wrong answer.
    return comparison.mode === 'strict' ? scored(false) : unscored('invalid-evaluator');
  }
}

export interface EndToJudge<Answer> {
  readonly outcome: OutcomeKind;
  readonly evaluator: Evaluator | undefined;
  readonly answer: Answer | null;
}

/**
 * The verdict on how a question ended; `scoreAnswer` is asked where there is an answer, and something to score it by. No
 * answer for reasons of the model's own is a wrong answer; for reasons outside it, nothing is known about the model, and
 * the question enters no mean.
 */
export function scoreOutcome<Answer, Judged extends { readonly verdict: Verdict }>(
  { outcome, evaluator, answer }: EndToJudge<Answer>,
  scoreAnswer: (answer: Answer, evaluator: Evaluator) => Judged,
): Judged | { readonly verdict: Verdict } {
  if (endedForOutsideReasons[outcome]) return { verdict: unscored('outside-failure') };
  if (evaluator === undefined) return { verdict: unscored('no-evaluator') };
  if (answer === null) return { verdict: scored(false, `no answer: ${outcome}`) };
  return scoreAnswer(answer, evaluator);
}
