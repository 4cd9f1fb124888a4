/** How well one paper does by one measure. Sums over papers give the figures of the table. */
export interface Score {
  /** True items that were found. */
  readonly right: number;
  /** True items. */
  readonly expected: number;
  /** Found items that are right or wrong, without those that are neither. */
  readonly found: number;
  /** What to mend: lines of a short difference. */
  readonly faults: readonly string[];
}

export const addScores = (scores: readonly Score[]): Omit<Score, 'faults'> => ({
  right: sum(scores.map(({ right }) => right)),
  expected: sum(scores.map(({ expected }) => expected)),
  found: sum(scores.map(({ found }) => found)),
});

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** Right and wrong answers to one question about a paper. */
export const verdict = (right: boolean, fault: string): Score => ({
  right: Number(right),
  expected: 1,
  found: 1,
  faults: right ? [] : [fault],
});
