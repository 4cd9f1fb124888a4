import type { OutcomeKind, Result } from '../agent/question-result.js';
import { keyText, type SampleKey } from '../ids.js';
import { addCost, costOfQuestion, noCost, type Cost } from '../models/usage.js';
import { onScale, scalesIn, type Scale } from '../scoring/scale.js';
import { headlinesOf, type Headline } from '../scoring/score-ledger.js';
import {
  scaleOfSample,
  scoreOf,
  verdictCountOf,
  type GoldItem,
  type ScoredSample,
} from '../scoring/scored-sample.js';
import type { Verdict } from '../scoring/verdict.js';
import { mean } from '../statistics/means.js';

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
export interface Pair extends SampleKey {
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
export interface Pairing {
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

export const flipsOf = (pairs: readonly Pair[]): readonly Flip[] =>
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
