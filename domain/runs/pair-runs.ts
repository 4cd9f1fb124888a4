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

/** A run as it is compared with others. */
export interface ComparedRun {
  readonly run: string;
  readonly ended: boolean;
  /** Which scorer and judge its scores are from, in words. */
  readonly scorer: string;
  readonly samples: readonly ScoredSample[];
  readonly results: readonly Result[];
}

/** What a run came to by itself, over all of its questions. */
export interface ComparedRunSummary {
  readonly run: string;
  readonly scorer: string;
  readonly headline: Headline;
  /** Questions that have ended, each epoch counted. */
  readonly ended: number;
  /** Over those; null where there are none. */
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

/** One question, once, in two runs, both of which have a score for it. */
export interface Pair extends SampleKey {
  readonly item: GoldItem;
  readonly baseline: PairSide;
  readonly candidate: PairSide;
}

interface PairSide {
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
  /** Null where nothing says how it ended. */
  readonly outcome: OutcomeKind | null;
  readonly answer: string | null;
  readonly turns: number | null;
  /** What the scorer gave as its reason; null where it gave none. */
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
