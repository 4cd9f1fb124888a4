import type { PythonValue } from '../python/value.js';
import type { Evaluator } from '../questions/evaluator.js';
import { judgeOutcome } from '../questions/judge-outcome.js';
import type { Score } from '../questions/score.js';
import type { GoldItem } from '../reports/scored-sample.js';
import type { ScoringMode } from '../scoring/comparison.js';
import { judgeValue } from '../scoring/score-answer.js';
import { scored, unscored, type Verdict } from '../scoring/verdict.js';
import type { Prediction } from './prediction.js';

/** The reference's aggregation scores an answer that begins so 0, before any function sees it. */
const errorMark = '[ERROR]:';

/** Scores an answer as far as that takes no judge. */
export function scorePrediction(
  { uuid, epoch, answer, outcome }: Prediction,
  { evaluator }: Pick<GoldItem, 'evaluator'>,
  mode: ScoringMode,
): Score {
  const { verdict } = judgeOutcome({ outcome, evaluator, answer }, (given, by) => ({
    verdict: isError(given) ? scored(false, 'no answer: [ERROR]') : verdictOn(given, by, mode),
  }));
  return {
    uuid,
    epoch,
    score: verdict.kind === 'scored' ? verdict.score : null,
    verdict,
    scorer: evaluator?.eval_func ?? null,
  };
}

const isError = (answer: PythonValue): boolean =>
  answer.kind === 'str' && answer.value.slice(0, errorMark.length).toUpperCase() === errorMark;

function verdictOn(answer: PythonValue, evaluator: Evaluator, mode: ScoringMode): Verdict {
  const finding = judgeValue({ answer, evaluator, mode, judge: null });
  return finding.kind === 'open' ? unscored('needs-judge') : finding;
}
