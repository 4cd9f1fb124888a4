/** Where a figure lies with 95 % confidence. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

/** NaN where there are none. */
export const mean = (values: readonly number[]): number => sum(values) / values.length;

/** Mean of the squared distances from the mean, with n − 1 for n; 0 for a single value. */
export function variance(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const centre = mean(values);
  return sum(values.map((value) => (value - centre) ** 2)) / (values.length - 1);
}

/** How often each value is there, in the order in which they come first. */
export function countsOf<T>(values: readonly T[]): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

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

/**
 * The chance that at least one of `k` attempts is right, from `attempts` of which `right` were: the mean over every
 * choice of k among them, hence without bias. M. Chen et al., "Evaluating large language models trained on code",
 * arXiv 2107.03374 (2021). Null where there were fewer than k attempts.
 */
export function passAtK(attempts: number, right: number, k: number): number | null {
  if (k > attempts) return null;
  let allWrong = 1;
  for (let drawn = 0; drawn < k; drawn += 1) {
    allWrong *= Math.max(0, attempts - right - drawn) / (attempts - drawn);
  }
  return 1 - allWrong;
}
