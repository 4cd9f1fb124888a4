import { upstreamsOf } from '../agent/who-answered.js';
import { exactJson } from '../formats/json.js';
import { said } from '../formats/text.js';
import { evaluatorOf } from '../scoring/dataset-item.js';
import { rangeOf, type Scale, onScale, scalesIn } from '../scoring/scale.js';
import { clustersOf } from '../scoring/score-estimate.js';
import { fieldValues, headlinesOf, type Headline } from '../scoring/score-ledger.js';
import {
  clusterOf,
  scaleOfSample,
  scoreOf,
  verdictCountOf,
  type GoldItem,
  type ScoredSample,
} from '../scoring/scored-sample.js';
import {
  pairedBootstrap,
  type Resampling,
  fewestDecisiveFlips,
  holm,
  mcnemarExact,
} from '../statistics/bootstrap.js';
import { clusteredMean, smallestDetectableDifference } from '../statistics/intervals.js';
import { groupsOf, mean, sum, type Interval } from '../statistics/means.js';
import type { OutcomeKind, Result } from '../agent/question-result.js';
import { keyText, type SampleKey } from '../ids.js';
import { addCost, costOfQuestion, noCost, type Cost } from '../models/usage.js';
import type { Verdict } from '../scoring/verdict.js';

/** A run to be compared. */
export interface ComparedRun {
  readonly run: string;
  readonly ended: boolean;
  /** A text that names the scorer and the judges of its scores. */
  readonly scorer: string;
  readonly samples: readonly ScoredSample[];
  readonly results: readonly Result[];
}

/** The results of one run of a comparison, over all its questions. */
export interface ComparedRunSummary {
  readonly run: string;
  readonly scorer: string;
  /** One for each scale. */
  readonly headlines: readonly Headline[];
  /** The number of ended samples. */
  readonly ended: number;
  /** Over the ended samples. Null if there are none. */
  readonly meanTurns: number | null;
  readonly cost: Cost;
}

export const summaryOf = ({ run, scorer, samples, results }: ComparedRun): ComparedRunSummary => ({
  run,
  scorer,
  headlines: headlinesOf(samples),
  ended: results.length,
  meanTurns: results.length === 0 ? null : mean(results.map(({ turns }) => turns)),
  cost: results
    .map(({ costUsd, usage }) => costOfQuestion(costUsd, usage.calls))
    .reduce(addCost, noCost),
});

/** A sample with a score in both runs. */
interface Pair extends SampleKey {
  readonly item: GoldItem;
  readonly baseline: PairSide;
  readonly candidate: PairSide;
}

interface PairSide {
  /** In numbers of the pairing's scale. */
  readonly score: number;
  readonly verdict: Verdict;
  /** Undefined if the run's files contain the score but no result. */
  readonly result: Result | undefined;
}

/** The pairs of one scale. */
interface Pairing {
  readonly scale: Scale;
  readonly pairs: readonly Pair[];
  /** Samples of both runs that lack a score in at least one, or have scores of different scales. */
  readonly unscored: number;
  /** Samples of one of the runs only. */
  readonly unpaired: number;
}

/**
 * Pairs the samples of two runs by uuid and epoch, apart for each scale of the baseline's questions. Samples without an
 * evaluator are not counted.
 */
export function pairRuns(
  baseline: ComparedRun,
  candidate: ComparedRun,
): readonly [Pairing, ...Pairing[]] {
  const found = [baseline, candidate].flatMap(({ samples }) => samples.map(scaleOfSample));
  const [first, ...others] = scalesIn(found);
  return [
    pairingOf(baseline, candidate, first),
    ...others.map((scale) => pairingOf(baseline, candidate, scale)),
  ];
}

function pairingOf(baseline: ComparedRun, candidate: ComparedRun, scale: Scale): Pairing {
  const resultOf = (run: ComparedRun) =>
    new Map(run.results.map((result) => [keyText(result), result]));
  const [resultBefore, resultAfter] = [resultOf(baseline), resultOf(candidate)];
  const scaleBefore = new Map(baseline.samples.map((each) => [keyText(each), scaleOfSample(each)]));
  const before = scorable(baseline).filter((sample) => scaleOfSample(sample) === scale);
  const after = new Map(
    scorable(candidate)
      .filter((sample) => (scaleBefore.get(keyText(sample)) ?? scaleOfSample(sample)) === scale)
      .map((sample) => [keyText(sample), sample]),
  );
  const both = before.flatMap((sample) => {
    const other = after.get(keyText(sample));
    return other === undefined ? [] : [[sample, other] as const];
  });
  const pairs = both.flatMap(([first, second]): Pair[] => {
    const [one, other] = [
      sideOf(first, scale, resultBefore.get(keyText(first))),
      sideOf(second, scale, resultAfter.get(keyText(second))),
    ];
    if (one === null || other === null) return [];
    const { uuid, epoch, item } = first;
    return [{ uuid, epoch, item, baseline: one, candidate: other }];
  });
  return {
    scale,
    pairs,
    unscored: both.length - pairs.length,
    unpaired: before.length + after.size - 2 * both.length,
  };
}

const scorable = ({ samples }: ComparedRun): readonly ScoredSample[] =>
  samples.filter((sample) => verdictCountOf(sample) !== 'no-evaluator');

function sideOf(sample: ScoredSample, scale: Scale, result: Result | undefined): PairSide | null {
  const score = scoreOf(sample);
  return score === null || sample.verdict === null || scaleOfSample(sample) !== scale
    ? null
    : { score: onScale(score, scale), verdict: sample.verdict, result };
}

/** A question that two runs score differently. */
export interface Flip extends SampleKey {
  readonly direction: 'better' | 'worse';
  /**
   * - `outcome`: they ended differently
   * - `answer`: they gave different answers
   * - `scoring`: the same answer was scored differently
   */
  readonly because: 'outcome' | 'answer' | 'scoring';
  readonly baseline: FlipSide;
  readonly candidate: FlipSide;
}

export interface FlipSide {
  readonly score: number;
  /** Null if there is no result. */
  readonly outcome: OutcomeKind | null;
  readonly answer: string | null;
  readonly turns: number | null;
  /** The scorer's reason. Null if it gave none. */
  readonly rationale: string | null;
}

const flipsOf = (pairs: readonly Pair[]): readonly Flip[] =>
  pairs
    .filter(({ baseline, candidate }) => baseline.score !== candidate.score)
    .map(({ uuid, epoch, ...pair }) => {
      const [baseline, candidate] = [flipSide(pair.baseline), flipSide(pair.candidate)];
      return {
        uuid,
        epoch,
        direction: candidate.score > baseline.score ? 'better' : 'worse',
        because: reasonOf(baseline, candidate),
        baseline,
        candidate,
      };
    });

const flipSide = ({ score, verdict, result }: PairSide): FlipSide => ({
  score,
  outcome: result?.outcome.kind ?? null,
  answer: result?.answer ?? null,
  turns: result?.turns ?? null,
  rationale: verdict.kind === 'scored' ? (verdict.rationale ?? null) : null,
});

function reasonOf(baseline: FlipSide, candidate: FlipSide): Flip['because'] {
  if (baseline.outcome !== candidate.outcome) return 'outcome';
  return baseline.answer === candidate.answer ? 'scoring' : 'answer';
}

/** A comparison of runs with a baseline. */
export interface RunComparison {
  readonly baseline: ComparedRunSummary;
  /** One for each other run and each scale, since no difference covers two. */
  readonly candidates: readonly CandidateComparison[];
  /** Differences that make the runs less comparable. */
  readonly remarks: readonly string[];
}

export interface CandidateComparison {
  readonly summary: ComparedRunSummary;
  /** That of the difference, the bounds and the flips. */
  readonly scale: Scale;
  /** Null if no question has a score in both runs. */
  readonly difference: Difference | null;
  /** The p-value after Holm's correction for the number of candidates. Null if the difference is. */
  readonly adjustedP: number | null;
  /** The difference if all questions without a score in one run had been the worst, or the best, for the candidate. */
  readonly bounds: { readonly worst: number; readonly best: number } | null;
  readonly verdict: ComparisonVerdict;
  readonly pairs: number;
  readonly unscored: number;
  readonly unpaired: number;
  readonly flips: readonly Flip[];
  readonly fields: readonly FieldDifferences[];
}

export type ComparisonVerdict = 'better' | 'worse' | 'not-decisive' | 'not-comparable';

export interface FieldDifferences {
  readonly field: string;
  readonly groups: readonly { readonly group: string; readonly difference: Difference }[];
}

interface ComparisonOptions {
  /** Fields of the dataset's items to group differences by. */
  readonly fields?: readonly string[];
  readonly resampling?: Resampling;
}

export function compareRuns(
  baseline: ComparedRun,
  candidates: readonly ComparedRun[],
  { fields = [], resampling }: ComparisonOptions = {},
): RunComparison {
  return {
    baseline: summaryOf(baseline),
    candidates: comparePairs(
      candidates.map((candidate) => ({ baseline, candidate })),
      { fields, ...(resampling && { resampling }) },
    ).map(({ comparison }) => comparison),
    remarks: [...new Set(candidates.flatMap((candidate) => remarksOn(baseline, candidate)))],
  };
}

/** Two runs, of which the candidate is set against the baseline. */
interface RunPair {
  readonly baseline: ComparedRun;
  readonly candidate: ComparedRun;
}

/** Compares pairs of runs. The p-values are corrected for all of them together. A pair occurs once for each scale. */
export function comparePairs<Pair extends RunPair>(
  runs: readonly Pair[],
  { fields = [], resampling }: ComparisonOptions = {},
): readonly { readonly pair: Pair; readonly comparison: CandidateComparison }[] {
  const compared = runs.flatMap((pair) =>
    pairRuns(pair.baseline, pair.candidate).map((pairing) => ({
      pair,
      pairing,
      difference: differenceOf(pairing.pairs, resampling, widthOf(pairing.scale)),
    })),
  );
  const tested = compared.flatMap(({ difference }) => difference ?? []);
  const adjusted = holm(tested.map(({ p }) => p));
  const adjustedOf = new Map(tested.map((difference, index) => [difference, adjusted[index]]));
  return compared.map(({ pair, pairing, difference }) => {
    const adjustedP = (difference && adjustedOf.get(difference)) ?? null;
    const comparison: CandidateComparison = {
      summary: summaryOf(pair.candidate),
      scale: pairing.scale,
      difference,
      adjustedP,
      bounds: boundsOf(pairing),
      verdict: verdictOf(difference, adjustedP),
      pairs: pairing.pairs.length,
      unscored: pairing.unscored,
      unpaired: pairing.unpaired,
      flips: flipsOf(pairing.pairs),
      fields: fields.map((field) => ({
        field,
        groups: groupDifferences(pairing, field, resampling),
      })),
    };
    return { pair, comparison };
  });
}

/** A verdict is decisive only if the exact test and the bootstrap agree. */
function verdictOf(difference: Difference | null, adjustedP: number | null): ComparisonVerdict {
  if (difference === null || adjustedP === null) return 'not-comparable';
  const { interval, better, worse } = difference;
  if (adjustedP > significance) return 'not-decisive';
  if (interval.low > 0 && better > worse) return 'better';
  return interval.high < 0 && worse > better ? 'worse' : 'not-decisive';
}

const widthOf = (scale: Scale): number => rangeOf[scale].most - rangeOf[scale].least;

function boundsOf({ scale, pairs, unscored }: Pairing): CandidateComparison['bounds'] {
  const all = pairs.length + unscored;
  if (all === 0) return null;
  const total = sum(pairs.map(({ baseline, candidate }) => candidate.score - baseline.score));
  const unknown = unscored * widthOf(scale);
  return { worst: (total - unknown) / all, best: (total + unknown) / all };
}

function groupDifferences(
  { pairs, scale }: Pairing,
  field: string,
  resampling: Resampling | undefined,
): FieldDifferences['groups'] {
  const members = pairs.flatMap((pair) =>
    fieldValues(pair.item, field).map((group) => ({ group, pair })),
  );
  return [...groupsOf(members, ({ group }) => group)].flatMap(([group, found]) => {
    const own = found.map(({ pair }) => pair);
    const difference = differenceOf(own, resampling, widthOf(scale));
    return difference === null ? [] : [{ group, difference }];
  });
}

function remarksOn(baseline: ComparedRun, candidate: ComparedRun): readonly string[] {
  const evaluators = new Map(
    baseline.samples.map(({ uuid, item }) => [uuid, exactJson(evaluatorOf(item))]),
  );
  const changed = new Set(
    candidate.samples
      .filter(({ uuid, item }) => {
        const evaluator = evaluators.get(uuid);
        return evaluator !== undefined && evaluator !== exactJson(evaluatorOf(item));
      })
      .map(({ uuid }) => uuid),
  );
  return said([
    candidate.scorer !== baseline.scorer &&
      `${baseline.run} has scores of the ${baseline.scorer}, ${candidate.run} of the ${candidate.scorer}: \`turnwise score\` makes them alike`,
    changed.size > 0 && `${changed.size} questions have another evaluator in ${candidate.run}`,
    answererRemark(baseline, candidate),
    [baseline, candidate].map(
      ({ ended, run }) => !ended && `${run} has not ended: what it has so far is compared`,
    ),
  ]);
}

/** What can explain a difference although the runs ask the same model: that other upstreams answered. */
function answererRemark(baseline: ComparedRun, candidate: ComparedRun): string | null {
  const [one, other] = [baseline, candidate].map(({ results }) =>
    upstreamsOf(results.flatMap(({ answeredBy }) => answeredBy ?? []))
      .toSorted()
      .join(', '),
  );
  if (!one || !other || one === other) return null;
  return `${baseline.run} was answered by ${one}, ${candidate.run} by ${other}`;
}

/** The p-value at or below which a difference counts. */
const significance = 0.05;

/** Candidate minus baseline, over the questions with a score in both runs. */
export interface Difference {
  readonly questions: number;
  /** Each question counts once, with the mean of its epochs. */
  readonly baselineMean: number;
  readonly candidateMean: number;
  readonly mean: number;
  /** By a paired bootstrap over clusters: papers, and questions without a paper. The whole scale for a single cluster. */
  readonly interval: Interval;
  readonly better: number;
  readonly worse: number;
  /** The exact test of better against worse questions: McNemar's test if scores are 0 or 1. */
  readonly p: number;
  /** The smallest true difference that a test of these questions detects with a power of 80 %. */
  readonly smallestDetectable: number;
}

/**
 * Null without pairs.
 * @param width - of the scale: the largest possible difference
 */
export function differenceOf(
  pairs: readonly Pair[],
  resampling?: Resampling,
  width = 1,
): Difference | null {
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
    // A single cluster gives no variance between clusters.
    interval:
      clusters.length > 1
        ? pairedBootstrap(clusters, resampling).interval
        : { low: -width, high: width },
    better,
    worse,
    p: mcnemarExact(better, worse),
    smallestDetectable: smallestOf(differences, clusters, width),
  };
}

interface QuestionDifference {
  /** Candidate minus baseline. */
  readonly score: number;
  readonly cluster: string;
  readonly baseline: number;
  readonly candidate: number;
}

/** The epochs of a question are one trial, with their mean as its score. */
function questionsOf(pairs: readonly Pair[]): readonly QuestionDifference[] {
  return [...groupsOf(pairs, ({ uuid }) => uuid).values()].flatMap((epochs) => {
    const [first] = epochs;
    if (first === undefined) return [];
    const baseline = mean(epochs.map((pair) => pair.baseline.score));
    const candidate = mean(epochs.map((pair) => pair.candidate.score));
    return [{ score: candidate - baseline, cluster: clusterOf(first), baseline, candidate }];
  });
}

/** At least the smallest number of flips that a test can detect, even if the other questions do not differ at all. */
function smallestOf(
  differences: readonly number[],
  clusters: readonly (readonly number[])[],
  width: number,
): number {
  if (clusters.length === 1) return width;
  const { standardError } = clusteredMean(clusters);
  const bySpread = smallestDetectableDifference(standardError);
  // Scores of 0 and 1 differ by whole flips, and without any spread the standard error is not a bound.
  const byFlips =
    standardError === 0 || differences.every((difference) => Number.isInteger(difference))
      ? fewestDecisiveFlips(significance) / differences.length
      : 0;
  return Math.min(width, Math.max(bySpread, byFlips));
}
