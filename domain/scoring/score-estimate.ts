import { grouped } from '../formats/text.js';
import {
  clusteredMean,
  wilsonInterval,
  fewestDecisiveFlips,
  mcnemarExact,
  smallestDetectableDifference,
  type Range,
  type ClusteredMean,
} from '../statistics/intervals.js';
import {
  groupsOf,
  passAtK,
  sum,
  withinQuestionVariance,
  mean,
  type Interval,
} from '../statistics/means.js';
import { scaleOfAnswer, scoreOf, type Answer } from './answer.js';
import { onScale, rangeOf, type Scale } from './verdict.js';

/** A mean of scores of one scale, with its confidence interval. */
export interface Estimate {
  readonly mean: number;
  readonly interval: Interval;
  /**
   * - `wilson`: all scores are at the ends of the scale with one in each cluster
   * - `cluster-robust`: there are other scores, or several scores in a cluster
   */
  readonly method: 'wilson' | 'cluster-robust';
  /** Null for a single cluster. */
  readonly standardError: number | null;
  readonly clusters: number;
  /** What the clusters are, as `unitsOf` names them. */
  readonly clustersAre: string;
}

/** For scores from 0 to 1. Null without scores. */
export function estimateOf(scores: readonly ClusteredScore[]): Estimate | null {
  if (scores.length === 0) return null;
  const clusters = clustersOf(scores);
  const { mean, standardError, interval } = clusteredMean(clusters, rangeOf.unit);
  const known = {
    mean,
    standardError: clusters.length > 1 ? standardError : null,
    clusters: clusters.length,
    clustersAre: unitsOf(scores),
  };
  const values = clusters.flat();
  const isProportion =
    clusters.length === values.length && values.every((value) => value === 0 || value === 1);
  return isProportion
    ? { ...known, method: 'wilson', interval: wilsonInterval(sum(values), values.length) }
    : { ...known, method: 'cluster-robust', interval };
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

interface PassAt {
  readonly k: number;
  readonly questions: number;
  readonly chance: Estimate;
}

/** Over the scores from 0 to 1: no grade is right or wrong. Null for a single epoch. */
export function epochScores(all: readonly Answer[]): EpochScores | null {
  const answers = all.filter((answer) => scaleOfAnswer(answer) !== 'one-to-five');
  const epochs = answers.reduce((most, { epoch }) => Math.max(most, epoch), 0);
  if (epochs < 2) return null;
  const questions = questionsOf(answers);
  return {
    epochs,
    passAt: attemptCounts(epochs).flatMap((k) => passAt(questions, k)),
    withinQuestionVariance: withinQuestionVariance(questions.map(({ scores }) => scores)),
    varyingQuestions: questions.filter(({ scores }) => new Set(scores).size > 1).length,
  };
}

interface Question {
  readonly cluster: Cluster;
  readonly scores: readonly number[];
}

const questionsOf = (answers: readonly Answer[]): readonly Question[] =>
  [...groupsOf(answers, ({ uuid }) => uuid).values()].flatMap((epochs) => {
    const [first] = epochs;
    const scores = epochs.flatMap((each) => scoreOf(each) ?? []);
    return first ? [{ cluster: clusterOf(first.item), scores }] : [];
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

/** What questions have in common, so that their scores are correlated. */
const clusterUnits = ['paper', 'database', 'question'] as const;

/** The questions about one paper or one database, or the epochs of one question about neither. */
export interface Cluster {
  readonly unit: (typeof clusterUnits)[number];
  readonly id: string;
}

interface Clustered {
  readonly uuid: string;
  readonly anchor_pdf?: readonly string[];
  readonly database?: unknown;
}

/** The cluster of a question in every statistic: by its first paper, else by its database, else the question alone. */
export function clusterOf({ uuid, anchor_pdf = [], database }: Clustered): Cluster {
  const [paper] = anchor_pdf;
  if (paper !== undefined) return { unit: 'paper', id: paper };
  return database === undefined
    ? { unit: 'question', id: uuid }
    : { unit: 'database', id: JSON.stringify(database) };
}

export interface ClusteredScore {
  readonly score: number;
  readonly cluster: Cluster;
}

/** The scores of each cluster. */
export const clustersOf = (scores: readonly ClusteredScore[]): readonly (readonly number[])[] =>
  [...groupsOf(scores, ({ cluster }) => `${cluster.unit} ${cluster.id}`).values()].map((own) =>
    own.map(({ score }) => score),
  );

/** What the clusters of scores are, in the plural: `papers`, or `papers or questions` if there are several kinds. */
function unitsOf(scores: readonly Pick<ClusteredScore, 'cluster'>[]): string {
  const found = new Set(scores.map(({ cluster }) => cluster.unit));
  return clusterUnits
    .filter((unit) => found.has(unit))
    .map((unit) => `${unit}s`)
    .join(' or ');
}

/** `12 papers`, `1 question`, `7 papers or questions`. @param units - as `unitsOf` names them */
export const clustersText = (count: number, units: string): string =>
  `${grouped(count)} ${count === 1 ? units.replaceAll(/s(?= |$)/g, '') : units}`;

/** The differences that scores of a scale can have. */
export function differenceRange(scale: Scale): Range {
  const { least, most } = rangeOf[scale];
  return { least: least - most, most: most - least };
}

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
