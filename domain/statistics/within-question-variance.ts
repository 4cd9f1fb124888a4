import { mean, sum } from './mean.js';

/**
 * How much the scores of one question vary from epoch to epoch, pooled over the questions: the mean square within groups
 * of an analysis of variance. Null where no question has two scores. R. A. Fisher, "Statistical methods for research
 * workers" (1925), chapter 7.
 */
export function withinQuestionVariance(questions: readonly (readonly number[])[]): number | null {
  const freedom = sum(questions.map(({ length }) => Math.max(0, length - 1)));
  if (freedom === 0) return null;
  const squares = questions.map((scores) => {
    const centre = mean(scores);
    return sum(scores.map((score) => (score - centre) ** 2));
  });
  return sum(squares) / freedom;
}
