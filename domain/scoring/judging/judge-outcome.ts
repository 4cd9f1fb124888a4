import { scored, unscored, type Verdict } from '../verdict.js';
import type { Evaluator } from '../dataset-item.js';
import { endedForOutsideReasons, type OutcomeKind } from '../../agent/question-result.js';

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
export function judgeOutcome<Answer, Judged extends { readonly verdict: Verdict }>(
  { outcome, evaluator, answer }: EndToJudge<Answer>,
  scoreAnswer: (answer: Answer, evaluator: Evaluator) => Judged,
): Judged | { readonly verdict: Verdict } {
  if (endedForOutsideReasons[outcome]) return { verdict: unscored('outside-failure') };
  if (evaluator === undefined) return { verdict: unscored('no-evaluator') };
  if (answer === null) return { verdict: scored(false, `no answer: ${outcome}`) };
  return scoreAnswer(answer, evaluator);
}
