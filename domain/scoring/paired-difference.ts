import {
  fewestDecisiveFlips,
  mcnemarExact,
  clusteredMean,
  smallestDetectableDifference,
  type ClusteredMean,
} from '../statistics/intervals.js';
import { groupsOf, mean, sum, type Interval } from '../statistics/means.js';
import { clustersOf, differenceRange, unitsOf, type Cluster } from './score-estimate.js';
import type { Scale } from './verdict.js';

/** The p-value at or below which a difference counts. */
const significance = 0.05;

/** With fewer clusters that differ, the exact test cannot be significant, whatever the scores are. */
export const neededClusters = fewestDecisiveFlips(significance);

/** Two scores of one question in one epoch, in numbers of their scale. */
export interface PairedScore {
  readonly uuid: string;
  readonly cluster: Cluster;
  readonly baseline: number;
  readonly candidate: number;
}

/** Candidate minus baseline, over the questions with a score in both. */
export interface Difference {
  readonly questions: number;
  /** Each question counts once, with the mean of its epochs. */
  readonly baselineMean: number;
  readonly candidateMean: number;
  readonly mean: number;
  /** By Student's t over the sums of clusters. The whole range of differences for a single cluster. */
  readonly interval: Interval;
  /** Questions. */
  readonly better: number;
  readonly worse: number;
  readonly clusters: number;
  /** What the clusters are, as `unitsOf` names them. */
  readonly clustersAre: string;
  /** The exact test of better against worse clusters: McNemar's test for single questions with scores of 0 or 1. */
  readonly p: number;
  /** The smallest true difference that a test of these questions detects with a power of 80 %. */
  readonly smallestDetectable: number;
}

/** Null without pairs. Their order changes nothing. */
export function differenceOf(pairs: readonly PairedScore[], scale: Scale): Difference | null {
  if (pairs.length === 0) return null;
  const range = differenceRange(scale);
  const questions = questionsIn(pairs, range.most);
  const clusters = clustersOf(questions);
  const centre = clusteredMean(clusters, range);
  const { mean: difference, interval } = centre;
  const signs = clusters.map((own) => signOf(sum(own), range.most));
  return {
    questions: questions.length,
    baselineMean: mean(questions.map(({ baseline }) => baseline)),
    candidateMean: mean(questions.map(({ candidate }) => candidate)),
    mean: signOf(difference, range.most) === 0 ? 0 : difference,
    interval,
    better: questions.filter(({ score }) => score > 0).length,
    worse: questions.filter(({ score }) => score < 0).length,
    clusters: clusters.length,
    clustersAre: unitsOf(questions),
    p: mcnemarExact(
      signs.filter((sign) => sign > 0).length,
      signs.filter((sign) => sign < 0).length,
    ),
    smallestDetectable: smallestOf(clusters, centre, range.most),
  };
}

/**
 * - `not-decisive`: the difference may be due to chance
 * - `too-few`: there are fewer clusters than `neededClusters`, so that no scores could decide
 * - `other-scorer`: the runs were scored by different scorers, which may be the whole difference
 * - `not-comparable`: no question has a score in both runs
 */
export type ComparisonVerdict =
  'better' | 'worse' | 'not-decisive' | 'too-few' | 'other-scorer' | 'not-comparable';

/** A verdict is decisive only if the exact test and the interval agree. */
export function comparisonVerdict(
  difference: Difference | null,
  adjustedP: number | null,
  isOneScorer: boolean,
): ComparisonVerdict {
  if (difference === null || adjustedP === null) return 'not-comparable';
  if (!isOneScorer) return 'other-scorer';
  const { interval, clusters } = difference;
  if (clusters < neededClusters) return 'too-few';
  if (adjustedP > significance) return 'not-decisive';
  if (interval.low > 0) return 'better';
  return interval.high < 0 ? 'worse' : 'not-decisive';
}

/** Differences up to this share of the scale are rounding errors of means. */
const tolerance = 1e-9;

const signOf = (difference: number, width: number): number =>
  Math.abs(difference) <= tolerance * width ? 0 : Math.sign(difference);

interface QuestionDifference {
  /** Candidate minus baseline; 0 for rounding errors. */
  readonly score: number;
  readonly cluster: Cluster;
  readonly baseline: number;
  readonly candidate: number;
}

/** The epochs of a question are one trial, with their mean as its score. */
const questionsIn = (pairs: readonly PairedScore[], width: number): readonly QuestionDifference[] =>
  [...groupsOf(pairs, ({ uuid }) => uuid).values()].flatMap((epochs) => {
    const [first] = epochs;
    if (first === undefined) return [];
    const baseline = mean(epochs.map((pair) => pair.baseline));
    const candidate = mean(epochs.map((pair) => pair.candidate));
    const difference = candidate - baseline;
    const score = signOf(difference, width) === 0 ? 0 : difference;
    return [{ score, cluster: first.cluster, baseline, candidate }];
  });

/** At least the smallest number of flips that a test can detect, even if the other questions do not differ at all. */
function smallestOf(
  clusters: readonly (readonly number[])[],
  { standardError, degreesOfFreedom }: ClusteredMean,
  width: number,
): number {
  if (clusters.length < 2) return width;
  const differences = clusters.flat();
  const bySpread = smallestDetectableDifference(standardError, degreesOfFreedom);
  // Scores of 0 and 1 differ by whole flips, and without any spread the standard error is not a bound.
  const byFlips =
    standardError === 0 || differences.every((difference) => Number.isInteger(difference))
      ? neededClusters / differences.length
      : 0;
  return Math.min(width, Math.max(bySpread, byFlips));
}
