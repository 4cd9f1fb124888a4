import { clusterOf } from '../reports/scored-sample.js';
import { clustersOf } from '../reports/estimate.js';
import { clusteredMean } from '../statistics/clustered-mean.js';
import type { Interval } from '../statistics/interval.js';
import { fewestDecisiveFlips, mcnemarExact } from '../statistics/mcnemar.js';
import { mean } from '../statistics/mean.js';
import { pairedBootstrap, type Resampling } from '../statistics/paired-bootstrap.js';
import { smallestDetectableDifference } from '../statistics/smallest-detectable-difference.js';
import type { Pair } from './pairs.js';

/** The p-value at or below which a difference counts. */
export const significance = 0.05;

/** How two runs differ over the questions that both have a score for. Candidate less baseline. */
export interface Difference {
  readonly questions: number;
  /** Each question counts once, whatever its epochs. */
  readonly baselineMean: number;
  readonly candidateMean: number;
  readonly mean: number;
  /** By a paired bootstrap that draws papers whole, or questions without one; -1 to 1 where there is one of them. */
  readonly interval: Interval;
  readonly better: number;
  readonly worse: number;
  /** Exact, of questions that are better against those that are worse: McNemar's where scores are 0 or 1. */
  readonly p: number;
  /** The smallest true difference that so many questions, differing as these do, find in four of five cases. */
  readonly smallestDetectable: number;
}

/** Null where there are no pairs. */
export function differenceOf(pairs: readonly Pair[], resampling?: Resampling): Difference | null {
  if (pairs.length === 0) return null;
  const questions = questionsOf(pairs);
  const differences = questions.map(({ score }) => score);
  const better = differences.filter((difference) => difference > 0).length;
  const worse = differences.filter((difference) => difference < 0).length;
  const clusters = clustersOf(questions);
  return {
    questions: questions.length,
    baselineMean: mean(questions.map(({ baseline }) => baseline)),
    candidateMean: mean(questions.map(({ candidate }) => candidate)),
    mean: mean(differences),
    // One cluster tells nothing of how clusters differ.
    interval:
      clusters.length > 1 ? pairedBootstrap(clusters, resampling).interval : { low: -1, high: 1 },
    better,
    worse,
    p: mcnemarExact(better, worse),
    smallestDetectable: smallestOf(differences, clusters),
  };
}

interface QuestionDifference {
  /** Candidate less baseline. */
  readonly score: number;
  readonly cluster: string;
  readonly baseline: number;
  readonly candidate: number;
}

/** Epochs of a question are one trial: their mean stands for it. */
function questionsOf(pairs: readonly Pair[]): readonly QuestionDifference[] {
  const questions = new Map<string, Pair[]>();
  for (const pair of pairs) {
    const known = questions.get(pair.uuid);
    if (known) known.push(pair);
    else questions.set(pair.uuid, [pair]);
  }
  return [...questions.values()].flatMap((epochs) => {
    const [first] = epochs;
    if (first === undefined) return [];
    const baseline = mean(epochs.map((pair) => pair.baseline.score));
    const candidate = mean(epochs.map((pair) => pair.candidate.score));
    return [{ score: candidate - baseline, cluster: clusterOf(first), baseline, candidate }];
  });
}

/** Whole questions that flip must be some before any test notices, however alike the others are. */
function smallestOf(
  differences: readonly number[],
  clusters: readonly (readonly number[])[],
): number {
  if (clusters.length === 1) return 1;
  const { standardError } = clusteredMean(clusters);
  const bySpread = smallestDetectableDifference(standardError);
  // Where all differ alike, in whole or in part, their spread tells nothing.
  const byFlips =
    standardError === 0 || differences.every((difference) => Number.isInteger(difference))
      ? fewestDecisiveFlips(significance) / differences.length
      : 0;
  return Math.min(1, Math.max(bySpread, byFlips));
}
