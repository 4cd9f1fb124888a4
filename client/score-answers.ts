import type { Prediction } from '../domain/predictions/prediction.js';
import { scorePrediction } from '../domain/predictions/score-prediction.js';
import type { Score } from '../domain/questions/score.js';
import type { GoldItem } from '../domain/reports/scored-sample.js';
import type { ScoringMode } from '../domain/scoring/comparison.js';

export interface AnswerToScore {
  readonly prediction: Prediction;
  readonly item: GoldItem;
}

/** Decides what no comparison can. */
export interface JudgePort {
  /** Of the judges, as a version of scores names them. */
  readonly name: string;
  /** One score for each answer, in their order. */
  readonly judge: (
    answers: readonly AnswerToScore[],
    mode: ScoringMode,
  ) => Promise<readonly Score[]>;
}

/** Scores answers in their order. Those that need a judge go to it together, after all others; without one they stay unscored. */
export async function scoreAnswers(
  answers: readonly AnswerToScore[],
  mode: ScoringMode,
  judge: JudgePort | null,
): Promise<readonly Score[]> {
  const scores = answers.map(({ prediction, item }) => scorePrediction(prediction, item, mode));
  if (judge === null) return scores;
  const open = scores.flatMap((score, index) => (needsJudge(score) ? [index] : []));
  const judged = await judge.judge(
    open.flatMap((index) => answers[index] ?? []),
    mode,
  );
  const judgedAt = new Map(open.map((index, place) => [index, judged[place]]));
  return scores.map((score, index) => judgedAt.get(index) ?? score);
}

export const needsJudge = ({ verdict }: Score): boolean =>
  verdict.kind === 'unscored' && verdict.reason === 'needs-judge';
