import jstat from 'jstat';
import { mean, sum, type Interval } from './means.js';

const { jStat } = jstat;

/** How much of the distribution a two-sided interval covers, everywhere in turnwise. */
export const confidence = 0.95;

/** The probability below the upper end of a two-sided interval of `confidence`. */
export const upperTail = (1 + confidence) / 2;

/** Of the standard normal distribution. */
export const normalQuantile = (p: number): number => jStat.normal.inv(p, 0, 1);

/** Of Student's t distribution. */
export const studentQuantile = (p: number, degreesOfFreedom: number): number =>
  jStat.studentt.inv(p, degreesOfFreedom);

/**
 * The score interval of a proportion, which stays within 0 and 1 and keeps its width at both ends. `successes` may be a
 * sum of partial credit: the interval then is wider than it need be. E. B. Wilson, "Probable inference, the law of
 * succession, and statistical inference", JASA 22 (1927).
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
    // Rounding must not leave a proportion of 0 or 1 outside its own interval.
    low: successes === 0 ? 0 : Math.max(0, centre - half),
    high: successes === trials ? 1 : Math.min(1, centre + half),
  };
}

/** How often a comparison of this size would notice the difference. */
const power = 0.8;

/**
 * The smallest true difference of means that a paired comparison finds in four of five cases, at 95 % confidence.
 * E. Miller, "Adding error bars to evals", arXiv 2411.00640 (2024), section 5.
 * @param standardError - of the mean difference that was seen
 */
export const smallestDetectableDifference = (standardError: number): number =>
  (normalQuantile(upperTail) + normalQuantile(power)) * standardError;

/** Means of scores from 0 to 1 are inexact by less: thirds and tenths that are alike have no spread. */
const rounding = 1e-9;

export interface ClusteredMean {
  readonly mean: number;
  /** Zero where clusters do not differ, and where there is one: nothing is known then. */
  readonly standardError: number;
  readonly clusters: number;
  /** By Student's t with one degree of freedom fewer than clusters. Everything where there is one cluster. */
  readonly interval: Interval;
}

/**
 * A mean of values that come in clusters, within which they may resemble one another. The standard error is the
 * sandwich estimate with the factor G / (G − 1) for G clusters. K.-Y. Liang and S. L. Zeger, "Longitudinal data analysis
 * using generalized linear models", Biometrika 73 (1986); for evaluations of models, E. Miller, "Adding error bars to
 * evals", arXiv 2411.00640 (2024). At least one value is needed.
 */
export function clusteredMean(clusters: readonly (readonly number[])[]): ClusteredMean {
  const values = clusters.flat();
  const centre = mean(values);
  const groups = clusters.length;
  if (groups < 2) {
    const interval = { low: -Infinity, high: Infinity };
    return { mean: centre, standardError: 0, clusters: groups, interval };
  }
  const squares = clusters.map((cluster) => sum(cluster.map((value) => value - centre)) ** 2);
  const spread = Math.sqrt((groups / (groups - 1)) * sum(squares)) / values.length;
  const standardError = spread < rounding ? 0 : spread;
  const half = studentQuantile(upperTail, groups - 1) * standardError;
  return {
    mean: centre,
    standardError,
    clusters: groups,
    interval: { low: centre - half, high: centre + half },
  };
}
