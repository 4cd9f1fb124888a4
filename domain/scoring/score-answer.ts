import { endedForOutsideReasons, type OutcomeKind } from '../agent/question-result.js';
import { pythonFromJson, type PythonValue } from '../formats/python/value.js';
import type { Evaluator, Refusals } from './dataset-item.js';
import { executionMatch } from './execution-match/execution-options.js';
import { type Execution } from './execution-match/execution.js';
import { executionVerdict } from './execution-match/execution-verdict.js';
import type { Judge } from './judging/judge-request.js';
import {
  EvaluatorError,
  type Comparison,
  type Finding,
  type ScoringMode,
} from './scorer-options.js';
import { programScorer } from './own-scorer.js';
import { scored, unscored, isLongForm, type Verdict } from './verdict.js';
import { scorerNamed } from './scorers.js';

/** The reference's agents write this prefix when there is no answer. */
export const errorMark = '[ERROR]:';

interface Scoring {
  readonly answer: string;
  readonly evaluator: Evaluator;
  readonly mode: ScoringMode;
  /** The results of the answer's SQL and the gold SQL, if the evaluator compares such results. */
  readonly execution?: Execution | null;
}

/** Scores an answer without a judge. An answer that needs one is unscored. */
export function scoreAnswer(scoring: Scoring): Verdict {
  const finding = judgeAnswer({ ...scoring, judge: null });
  return finding.kind === 'open' ? unscored('needs-judge') : finding;
}

/** Scores an answer with a judge: returns a verdict, or the next question for the judge. */
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
  execution = null,
}: Omit<Scoring, 'answer'> & {
  readonly answer: PythonValue;
  readonly judge: Judge | null;
}): Finding {
  if (evaluator.eval_func === executionMatch) {
    return executionVerdict(evaluator.eval_kwargs, answer, execution);
  }
  if (evaluator.eval_func === programScorer) {
    return unscored('scorer-failed', 'the program was not asked');
  }
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
  const scorer = scorerNamed(functionName);
  if (!scorer) return unscored('unknown-evaluator');
  if (!isLongForm(functionName) && answer.kind === 'str' && answer.value.startsWith(errorMark))
    return scored(false);
  try {
    return scorer(answer, comparison);
  } catch (error) {
    if (!(error instanceof EvaluatorError)) throw error;
    // The reference counts every exception as a wrong answer.
    return comparison.mode === 'strict'
      ? scored(false)
      : unscored('invalid-evaluator', error.message);
  }
}

interface EndToJudge<Answer> {
  readonly outcome: OutcomeKind;
  readonly evaluator: Evaluator | undefined;
  readonly answer: Answer | null;
  /** @defaultValue wrong */
  readonly refusals?: Refusals | undefined;
}

/**
 * The verdict on an ended question. Calls `scoreAnswer` if there are an answer and an evaluator. A question that the model
 * left without an answer has score 0, or none if a long answer was wanted; a refusal is wrong wherever the item does not say
 * otherwise. One that ended because of a failure outside the model is unscored, since it says nothing about the model.
 */
export function scoreOutcome<Answer, Judged extends { readonly verdict: Verdict }>(
  { outcome, evaluator, answer, refusals = 'wrong' }: EndToJudge<Answer>,
  scoreAnswer: (answer: Answer, evaluator: Evaluator) => Judged,
): Judged | { readonly verdict: Verdict } {
  if (endedForOutsideReasons[outcome]) return { verdict: unscored('outside-failure') };
  if (evaluator === undefined) return { verdict: unscored('no-evaluator') };
  if (outcome === 'refused')
    return { verdict: refusals === 'wrong' ? scored(false, 'refused') : unscored('refused') };
  if (answer !== null) return scoreAnswer(answer, evaluator);
  // The means over long answers are of the questions that were answered.
  return {
    verdict: isLongForm(evaluator.eval_func)
      ? unscored('no-answer', `the question ended as ${outcome}`)
      : scored(false, `no answer: ${outcome}`),
  };
}
