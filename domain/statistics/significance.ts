/**
 * The exact two-sided p-value of pairs that differ in one direction or the other: how likely so uneven a split is where
 * each direction is as likely. With scores of 0 and 1 this is McNemar's test, with others the sign test. Q. McNemar,
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

/** Pairs that must differ, all in the same direction, before the exact test calls it more than chance. */
export function fewestDecisiveFlips(alpha: number): number {
  return Math.ceil(1 + Math.log2(1 / alpha));
}

/**
 * P-values of several comparisons, raised so that each can be held against the level of one: the chance that any of them
 * is called a difference where there is none stays below that level. In the order given. S. Holm, "A simple sequentially
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
