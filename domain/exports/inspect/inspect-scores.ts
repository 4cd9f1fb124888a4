import type { RecordedQuestion } from '../recorded-question.js';
import type { InspectObject } from './inspect-object.js';

/** The name under which Inspect keeps a question's score. */
export const scoreName = 'score';

/** Undefined where there is none: what could not be scored is no 0, and Inspect leaves it out of every mean. */
export function inspectScores({ result, score }: RecordedQuestion): InspectObject | undefined {
  if (score?.verdict.kind !== 'scored') return undefined;
  const { rationale, rawScore } = score.verdict;
  return {
    [scoreName]: {
      value: score.verdict.score,
      answer: result.answer ?? undefined,
      explanation: rationale,
      metadata: { evaluator: score.scorer, raw_score: rawScore, judging: score.judging },
    },
  };
}

/** Why there is no score, e.g. `needs-judge`; undefined where there is one. */
export const unscoredReason = ({ score }: RecordedQuestion): string | undefined => {
  if (score?.verdict.kind !== 'unscored') return undefined;
  const { reason, message } = score.verdict;
  return message === undefined ? reason : `${reason}: ${message}`;
};
