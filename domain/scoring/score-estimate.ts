import { grouped } from '../formats/text.js';
import { clusteredMean, wilsonInterval, type Range } from '../statistics/intervals.js';
import {
  groupsOf,
  passAtK,
  sum,
  withinQuestionVariance,
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
export function unitsOf(scores: readonly Pick<ClusteredScore, 'cluster'>[]): string {
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
