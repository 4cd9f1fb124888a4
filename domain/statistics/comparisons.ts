/**
 * The exact two-sided p-value of `better` against `worse` differing pairs, if both directions are equally likely. For scores of
 * 0 and 1 this is McNemar's test, for other scores the sign test. Q. McNemar,
 * "Note on the sampling error of the difference between correlated proportions or percentages", Psychometrika 12 (1947).
 */
export function mcnemarExact(better: number, worse: number): number {
  const trials = better + worse;
  if (trials === 0) return 1;
  const fewer = Math.min(better, worse);
  let logWays = 0;
  let tail = 0;
  for (let successes = 0; successes <= fewer; successes += 1) {
    tail += Math.exp(logWays - trials * Math.LN2);
    logWays += Math.log((trials - successes) / (successes + 1));
  }
  return Math.min(1, 2 * tail);
}

/** The smallest number of differing pairs, all in one direction, for which the exact test is significant at `alpha`. */
export function fewestDecisiveFlips(alpha: number): number {
  return Math.ceil(1 + Math.log2(1 / alpha));
}

/**
 * Adjusts the p-values of several comparisons, so that each can be compared with the level of a single test: the probability
 * of any false positive stays below that level. The order is kept. S. Holm, "A simple sequentially
 * rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979).
 */
export function holm(pValues: readonly number[]): readonly number[] {
  const ascending = pValues.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  const adjusted = new Array<number>(pValues.length);
  let highest = 0;
  for (const [rank, { p, index }] of ascending.entries()) {
    highest = Math.max(highest, Math.min(1, p * (pValues.length - rank)));
    adjusted[index] = highest;
  }
  return adjusted;
}
