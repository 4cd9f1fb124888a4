import jstat from 'jstat';
import { mean, sum, type Interval } from './means.js';

const { jStat } = jstat;

/** The confidence level of every two-sided interval in turnwise. */
const confidence = 0.95;

/** The probability below the upper end of a two-sided interval of `confidence`. */
export const upperTail = (1 + confidence) / 2;

/** The quantile of the standard normal distribution. */
export const normalQuantile = (p: number): number => jStat.normal.inv(p, 0, 1);

/** The quantile of Student's t distribution. */
export const studentQuantile = (p: number, degreesOfFreedom: number): number =>
  jStat.studentt.inv(p, degreesOfFreedom);

/**
 * The score interval of a proportion; it stays within 0 and 1. `successes` may be a sum of partial scores: the interval is then
 * wider than necessary. E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22
 * (1927).
 */
export function wilsonInterval(successes: number, trials: number): Interval {
  if (trials <= 0) return { low: 0, high: 1 };
  const z = normalQuantile(upperTail);
  const proportion = successes / trials;
  const shrink = 1 + z ** 2 / trials;
  const centre = (proportion + z ** 2 / (2 * trials)) / shrink;
  const half =
    (z / shrink) * Math.sqrt((proportion * (1 - proportion)) / trials + z ** 2 / (4 * trials ** 2));
  return {
    // Without these cases rounding could put a proportion of 0 or 1 outside its interval.
    low: successes === 0 ? 0 : Math.max(0, centre - half),
    high: successes === trials ? 1 : Math.min(1, centre + half),
  };
}

/** The probability that a comparison detects the smallest detectable difference. */
const power = 0.8;

/**
 * The smallest true difference of means that a paired comparison detects with probability `power`, at 95 % confidence.
 * E. Miller, "Adding error bars to evals", arXiv 2411.00640 (2024), section 5, with Student's t in place of the normal
 * distribution.
 * @param standardError - of the observed mean difference
 */
export const smallestDetectableDifference = (
  standardError: number,
  degreesOfFreedom: number,
): number =>
  (studentQuantile(upperTail, degreesOfFreedom) + studentQuantile(power, degreesOfFreedom)) *
  standardError;

/** The values that a mean can have. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

const unbounded: Range = { least: -Infinity, most: Infinity };

/** Standard errors below this are rounding errors of scores from 0 to 1, so they count as 0. */
const rounding = 1e-9;

export interface ClusteredMean {
  readonly mean: number;
  /** 0 when all clusters are equal, and for a single cluster, where it is unknown. */
  readonly standardError: number;
  readonly clusters: number;
  /** Of the standard error: `clusters` − 1 for clusters of one size, less for others, at least 1; 0 for a single cluster. */
  readonly degreesOfFreedom: number;
  /**
   * Within the range. By Student's t with these degrees of freedom. The whole range for a single cluster. Clusters
   * that are all equal say nothing of the spread: then it leaves room for the largest share of other clusters, at the ends of
   * the range, that would be missed with a probability of 2.5 % (C. Clopper and E. Pearson, "The use of confidence or fiducial
   * limits", Biometrika 26 (1934)); without a range, the mean alone.
   */
  readonly interval: Interval;
}

/**
 * The mean of values in clusters; values of a cluster may be correlated. The standard error is that of the jackknife, which
 * leaves out one cluster after the other: for clusters of one size the sandwich estimate with the factor G / (G − 1) for G
 * clusters, and larger for clusters of different sizes, where that one is too small. It is the surer the more alike the sizes
 * are, which its degrees of freedom say. R. Bell and D. McCaffrey, "Bias reduction in standard errors for linear regression with
 * multi-stage samples", Survey Methodology 28 (2002); for evaluations of models, E. Miller, "Adding error bars to evals", arXiv
 * 2411.00640 (2024). At least one value is needed.
 */
export function clusteredMean(
  clusters: readonly (readonly number[])[],
  range: Range = unbounded,
): ClusteredMean {
  const values = clusters.flat();
  const centre = mean(values);
  const groups = clusters.length;
  if (groups < 2) {
    const interval = { low: range.least, high: range.most };
    return { mean: centre, standardError: 0, clusters: groups, degreesOfFreedom: 0, interval };
  }
  const squares = clusters.map((cluster) => {
    const others = 1 - cluster.length / values.length;
    return (sum(cluster.map((value) => value - centre)) / others) ** 2;
  });
  const spread = Math.sqrt(((groups - 1) / groups) * sum(squares)) / values.length;
  const standardError = spread < rounding ? 0 : spread;
  const degreesOfFreedom = freedomOf(clusters.map((cluster) => cluster.length / values.length));
  const half = studentQuantile(upperTail, degreesOfFreedom) * standardError;
  const missed = 1 - (1 - upperTail) ** (1 / groups);
  const towards = (end: number): number =>
    Number.isFinite(end) ? centre + missed * (end - centre) : centre;
  return {
    mean: centre,
    standardError,
    clusters: groups,
    degreesOfFreedom,
    interval:
      standardError === 0
        ? { low: towards(range.least), high: towards(range.most) }
        : { low: Math.max(range.least, centre - half), high: Math.min(range.most, centre + half) },
  };
}

/**
 * Satterthwaite's degrees of freedom of the jackknife's variance of a mean, for independent values, as R. Bell and D. McCaffrey
 * (2002) find them: the squared trace of a matrix over the sum of its squares.
 * @param shares - of at least two clusters in the values
 */
function freedomOf(shares: readonly number[]): number {
  const weights = shares.map((share) => share / (1 - share));
  const squares = weights.map((weight) => weight ** 2);
  const crossed = sum(squares) ** 2 - sum(squares.map((square) => square ** 2));
  return sum(weights) ** 2 / (sum(squares) + crossed);
}

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
