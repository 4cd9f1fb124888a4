import { clusteredMean, wilsonInterval } from '../statistics/intervals.js';
import {
  groupsOf,
  mean,
  passAtK,
  sum,
  withinQuestionVariance,
  type Interval,
} from '../statistics/means.js';
import { onScale, rangeOf, type Scale } from './scale.js';
import { clusterOf, scaleOfSample, scoreOf, type ScoredSample } from './scored-sample.js';

/** A mean of scores of one scale, with its confidence interval. */
export interface Estimate {
  readonly mean: number;
  readonly interval: Interval;
  /**
   * - `wilson`: all scores are at the ends of the scale with one in each cluster, or the clusters do not differ
   * - `cluster-robust`: there are other scores, or several scores in a cluster
   */
  readonly method: 'wilson' | 'cluster-robust';
  /** Null for a single cluster. */
  readonly standardError: number | null;
  readonly clusters: number;
}

export interface ClusteredScore {
  readonly score: number;
  readonly cluster: string;
}

/** For scores from 0 to 1. Null without scores. */
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
  // Clusters that do not differ give no standard error, so each counts as one trial.
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

/** An estimate of scores from 0 to 1 in numbers of their scale. */
export function estimateOnScale(estimate: Estimate, scale: Scale): Estimate {
  if (scale === 'unit') return estimate;
  const { mean, interval, standardError } = estimate;
  const { least, most } = rangeOf[scale];
  return {
    ...estimate,
    mean: onScale(mean, scale),
    interval: { low: onScale(interval.low, scale), high: onScale(interval.high, scale) },
    standardError: standardError === null ? null : standardError * (most - least),
  };
}

/** The scores of each cluster, in order of appearance. */
export const clustersOf = (scores: readonly ClusteredScore[]): readonly (readonly number[])[] =>
  [...groupsOf(scores, ({ cluster }) => cluster).values()].map((own) =>
    own.map(({ score }) => score),
  );

/** Results of a run with several epochs. */
export interface EpochScores {
  readonly epochs: number;
  /** pass@k: the probability of score 1 in at least one of k epochs, over the questions with at least k scores. */
  readonly passAt: readonly PassAt[];
  /** Null if no question has two scores. */
  readonly withinQuestionVariance: number | null;
  /** The number of questions whose scores differ between epochs. */
  readonly varyingQuestions: number;
}

export interface PassAt {
  readonly k: number;
  readonly questions: number;
  readonly chance: Estimate;
}

/** Over the scores from 0 to 1: no grade is right or wrong. Null for a single epoch. */
export function epochScores(all: readonly ScoredSample[]): EpochScores | null {
  const samples = all.filter((sample) => scaleOfSample(sample) !== 'one-to-five');
  const epochs = samples.reduce((most, { epoch }) => Math.max(most, epoch), 0);
  if (epochs < 2) return null;
  const questions = questionsOf(samples);
  return {
    epochs,
    passAt: attemptCounts(epochs).flatMap((k) => passAt(questions, k)),
    withinQuestionVariance: withinQuestionVariance(questions.map(({ scores }) => scores)),
    varyingQuestions: questions.filter(({ scores }) => new Set(scores).size > 1).length,
  };
}

interface Question {
  readonly cluster: string;
  readonly scores: readonly number[];
}

const questionsOf = (samples: readonly ScoredSample[]): readonly Question[] =>
  [...groupsOf(samples, ({ uuid }) => uuid).values()].flatMap((epochs) => {
    const [first] = epochs;
    return first
      ? [{ cluster: clusterOf(first), scores: epochs.flatMap((each) => scoreOf(each) ?? []) }]
      : [];
  });

/** The powers of two below the number of epochs, and that number. */
function attemptCounts(epochs: number): readonly number[] {
  const counts = [];
  for (let count = 1; count < epochs; count *= 2) counts.push(count);
  return [...counts, epochs];
}

function passAt(questions: readonly Question[], k: number): readonly PassAt[] {
  const chances = questions.flatMap(({ scores, cluster }) => {
    const score = passAtK(scores.length, scores.filter((each) => each === 1).length, k);
    return score === null ? [] : [{ score, cluster }];
  });
  const chance = estimateOf(chances);
  return chance ? [{ k, questions: chances.length, chance }] : [];
}
