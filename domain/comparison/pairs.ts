import { keyText, type SampleKey } from '../ids.js';
import type { Result } from '../questions/result.js';
import {
  scoreOf,
  verdictCountOf,
  type GoldItem,
  type ScoredSample,
} from '../reports/scored-sample.js';
import type { Verdict } from '../scoring/verdict.js';
import type { ComparedRun } from './compared-run.js';

/** One question, once, in two runs, both of which have a score for it. */
export interface Pair extends SampleKey {
  readonly item: GoldItem;
  readonly baseline: PairSide;
  readonly candidate: PairSide;
}

export interface PairSide {
  readonly score: number;
  readonly verdict: Verdict;
  /** Absent where a run's files have a score and no result of it. */
  readonly result: Result | undefined;
}

export interface Pairing {
  readonly pairs: readonly Pair[];
  /** Asked in both runs, and without a score in at least one. */
  readonly unscored: number;
  /** Asked in one of the runs only. */
  readonly unpaired: number;
}

/** Pairs the samples of two runs by uuid and epoch. What names no evaluator in either is left out of all counts. */
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
