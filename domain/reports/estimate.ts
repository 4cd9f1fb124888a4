import { clusteredMean } from '../statistics/clustered-mean.js';
import type { Interval } from '../statistics/interval.js';
import { mean, sum } from '../statistics/mean.js';
import { wilsonInterval } from '../statistics/wilson-interval.js';

/** A mean of scores from 0 to 1, and how well it is known. */
export interface Estimate {
  readonly mean: number;
  readonly interval: Interval;
  /**
   * - `wilson`: of scores that are 0 or 1 and come one a cluster, or do not differ at all
   * - `cluster-robust`: of partial credit, or of several scores a cluster
   */
  readonly method: 'wilson' | 'cluster-robust';
  /** Null where there is one cluster. */
  readonly standardError: number | null;
  readonly clusters: number;
}

export interface ClusteredScore {
  readonly score: number;
  readonly cluster: string;
}

/** Null where there are no scores. */
export function estimateOf(scores: readonly ClusteredScore[]): Estimate | null {
  if (scores.length === 0) return null;
  const values = scores.map(({ score }) => score);
  const clusters = clustersOf(scores);
  const { standardError, interval } = clusteredMean(clusters);
  const known = {
    mean: mean(values),
    standardError: clusters.length > 1 ? standardError : null,
    clusters: clusters.length,
  };
  const proportion =
    clusters.length === values.length && values.every((value) => value === 0 || value === 1);
  // Where clusters do not differ their spread tells nothing, and each is taken for one trial.
  if (proportion || standardError === 0) {
    const trials = clusters.length;
    const successes = proportion ? sum(values) : known.mean * trials;
    return { ...known, method: 'wilson', interval: wilsonInterval(successes, trials) };
  }
  return {
    ...known,
    method: 'cluster-robust',
    interval: { low: Math.max(0, interval.low), high: Math.min(1, interval.high) },
  };
}

/** Scores by their cluster, in order of appearance. */
export function clustersOf(scores: readonly ClusteredScore[]): readonly (readonly number[])[] {
  const clusters = new Map<string, number[]>();
  for (const { score, cluster } of scores) {
    const known = clusters.get(cluster);
    if (known) known.push(score);
    else clusters.set(cluster, [score]);
  }
  return [...clusters.values()];
}
