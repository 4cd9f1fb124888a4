import type { Interval } from './interval.js';
import { mean, sum } from './mean.js';
import { studentQuantile, upperTail } from './quantiles.js';

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
