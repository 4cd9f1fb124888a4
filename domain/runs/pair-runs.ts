import type { OutcomeKind, Result } from '../agent/question-result.js';
import { keyText, type SampleKey } from '../ids.js';
import { addCost, costOfQuestion, noCost, type Cost } from '../models/usage.js';
import { headlineOf, type Headline } from '../scoring/score-ledger.js';
import {
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
  readonly headline: Headline;
  /** The number of ended samples. */
  readonly ended: number;
  /** Over the ended samples. Null if there are none. */
  readonly meanTurns: number | null;
  readonly cost: Cost;
}

export const summaryOf = ({ run, scorer, samples, results }: ComparedRun): ComparedRunSummary => ({
  run,
  scorer,
  headline: headlineOf(samples),
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
  readonly score: number;
  readonly verdict: Verdict;
  /** Undefined if the run's files contain the score but no result. */
  readonly result: Result | undefined;
}

export interface Pairing {
  readonly pairs: readonly Pair[];
  /** Samples of both runs that lack a score in at least one. */
  readonly unscored: number;
  /** Samples of one of the runs only. */
  readonly unpaired: number;
}

/** Pairs the samples of two runs by uuid and epoch. Samples without an evaluator are not counted. */
export function pairRuns(baseline: ComparedRun, candidate: ComparedRun): Pairing {
  const resultOf = (run: ComparedRun) =>
    new Map(run.results.map((result) => [keyText(result), result]));
  const [resultBefore, resultAfter] = [resultOf(baseline), resultOf(candidate)];
  const before = scorable(baseline);
  const after = new Map(scorable(candidate).map((sample) => [keyText(sample), sample]));
  const both = before.flatMap((sample) => {
    const other = after.get(keyText(sample));
    return other === undefined ? [] : [[sample, other] as const];
  });
  const pairs = both.flatMap(([first, second]): Pair[] => {
    const [one, other] = [
      sideOf(first, resultBefore.get(keyText(first))),
      sideOf(second, resultAfter.get(keyText(second))),
    ];
    if (one === null || other === null) return [];
    const { uuid, epoch, item } = first;
    return [{ uuid, epoch, item, baseline: one, candidate: other }];
  });
  return {
    pairs,
    unscored: both.length - pairs.length,
    unpaired: before.length + after.size - 2 * both.length,
  };
}

const scorable = ({ samples }: ComparedRun): readonly ScoredSample[] =>
  samples.filter((sample) => verdictCountOf(sample) !== 'no-evaluator');

function sideOf(sample: ScoredSample, result: Result | undefined): PairSide | null {
  const score = scoreOf(sample);
  return score === null || sample.verdict === null
    ? null
    : { score, verdict: sample.verdict, result };
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
