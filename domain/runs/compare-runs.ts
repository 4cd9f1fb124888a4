import {
  addedAnswerers,
  answererText,
  upstreamsOf,
  type Answerer,
  type OutcomeKind,
} from '../agent/question-result.js';
import { exactJson } from '../formats/json.js';
import { counted, said } from '../formats/text.js';
import {
  resultsIn,
  scaleOfAnswer,
  scoreOf,
  verdictCountOf,
  verdictOf,
  type Answer,
  type RunAnswer,
} from '../scoring/answer.js';
import {
  clusterOf,
  differenceRange,
  comparisonVerdict,
  differenceOf,
  type ComparisonVerdict,
  type Difference,
} from '../scoring/score-estimate.js';
import { evaluatorOf } from '../scoring/dataset-item.js';
import { onScale, scalesIn, type Scale } from '../scoring/verdict.js';
import { fieldValues, headlinesOf, rulingsText, type Headline } from '../scoring/score-ledger.js';
import { holm } from '../statistics/intervals.js';
import { groupsOf, mean, sum } from '../statistics/means.js';
import { keyText, type SampleKey } from '../ids.js';
import { addCost, costOfQuestion, noCost, type Cost } from '../models/usage.js';
import { comparedChanges, type RunSettings } from './run-fork.js';

/** A run to be compared. */
export interface ComparedRun {
  readonly run: string;
  readonly ended: boolean;
  /** A text that names the scorer and the judges of its scores. */
  readonly scorer: string;
  readonly manifest: RunSettings;
  /** In any order. */
  readonly answers: readonly RunAnswer[];
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

export function summaryOf({ run, scorer, answers }: ComparedRun): ComparedRunSummary {
  const sorted = inOrder(answers);
  const results = resultsIn(sorted);
  return {
    run,
    scorer,
    headlines: headlinesOf(sorted),
    ended: results.length,
    meanTurns: results.length === 0 ? null : mean(results.map(({ turns }) => turns)),
    cost: results
      .map(({ costUsd, usage }) => costOfQuestion(costUsd, usage.calls))
      .reduce(addCost, noCost),
  };
}

/** So that no figure depends on the order of files. */
const inOrder = (answers: readonly RunAnswer[]): readonly RunAnswer[] =>
  answers.toSorted((a, b) => (a.uuid === b.uuid ? a.epoch - b.epoch : a.uuid < b.uuid ? -1 : 1));

/** An answer with a score in both runs. */
interface Pair {
  readonly baseline: RunAnswer;
  readonly candidate: RunAnswer;
}

/** The pairs of one scale. */
interface Pairing {
  readonly scale: Scale;
  /** In the order of their ids and epochs. */
  readonly pairs: readonly Pair[];
  /** Answers of both runs that lack a score in at least one, or have scores of different scales. */
  readonly unscored: number;
  /** Answers of one of the runs only. */
  readonly unpaired: number;
}

/**
 * Pairs the answers of two runs by uuid and epoch, apart for each scale. Answers to items without an evaluator are not counted,
 * nor is a pair of which one is excluded, and questions with another text are other questions.
 */
export function pairRuns(
  baseline: ComparedRun,
  candidate: ComparedRun,
): readonly [Pairing, ...Pairing[]] {
  const [before, after] = [scorable(baseline), scorable(candidate)];
  const afterOf = new Map(after.map((answer) => [keyText(answer), answer]));
  const both = before.flatMap((answer): Pair[] => {
    const other = afterOf.get(keyText(answer));
    return other?.item.question === answer.item.question
      ? [{ baseline: answer, candidate: other }]
      : [];
  });
  const paired = new Set(both.flatMap((pair) => [pair.baseline, pair.candidate]));
  const alone = [...before, ...after].filter((answer) => !paired.has(answer));
  const pairingOf = (scale: Scale): Pairing => {
    const isOn = (answer: RunAnswer): boolean => scaleOfAnswer(answer) === scale;
    const own = both.filter(
      ({ baseline, candidate }) =>
        [baseline, candidate].some(isOn) && ![baseline, candidate].some(isExcluded),
    );
    const pairs = own.filter((pair) =>
      [pair.baseline, pair.candidate].every((each) => isOn(each) && scoreOf(each) !== null),
    );
    return {
      scale,
      pairs,
      unscored: own.length - pairs.length,
      unpaired: alone.filter(isOn).length,
    };
  };
  const [first, ...others] = scalesIn([...before, ...after].map(scaleOfAnswer));
  return [pairingOf(first), ...others.map(pairingOf)];
}

const isExcluded = (answer: RunAnswer): boolean => verdictCountOf(answer) === 'excluded';

const scorable = ({ answers }: ComparedRun): readonly RunAnswer[] =>
  inOrder(answers).filter((answer) => verdictCountOf(answer) !== 'no-evaluator');

/** In numbers of the scale. Only for answers with a score. */
const scoreOn = (scale: Scale, answer: Answer): number => onScale(scoreOf(answer) ?? NaN, scale);

const differenceIn = ({ pairs, scale }: Pick<Pairing, 'pairs' | 'scale'>): Difference | null =>
  differenceOf(
    pairs.map(({ baseline, candidate }) => ({
      uuid: baseline.uuid,
      cluster: clusterOf(baseline.item),
      baseline: scoreOn(scale, baseline),
      candidate: scoreOn(scale, candidate),
    })),
    scale,
  );

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

const flipsOf = ({ pairs, scale }: Pairing): readonly Flip[] =>
  pairs
    .filter(({ baseline, candidate }) => scoreOf(baseline) !== scoreOf(candidate))
    .map((pair) => {
      const [baseline, candidate] = [
        flipSide(pair.baseline, scale),
        flipSide(pair.candidate, scale),
      ];
      return {
        uuid: pair.baseline.uuid,
        epoch: pair.baseline.epoch,
        direction: candidate.score > baseline.score ? 'better' : 'worse',
        because: reasonOf(baseline, candidate),
        baseline,
        candidate,
      };
    });

function flipSide(answer: RunAnswer, scale: Scale): FlipSide {
  const { result } = answer;
  const verdict = verdictOf(answer);
  return {
    score: scoreOn(scale, answer),
    outcome: result?.outcome.kind ?? null,
    answer: result?.answer ?? null,
    turns: result?.turns ?? null,
    rationale:
      answer.ruling?.reason ?? (verdict?.kind === 'scored' ? (verdict.rationale ?? null) : null),
  };
}

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
  /** What makes the two runs less comparable. */
  readonly remarks: readonly string[];
  readonly pairs: number;
  readonly unscored: number;
  readonly unpaired: number;
  readonly flips: readonly Flip[];
  readonly fields: readonly FieldDifferences[];
}

export interface FieldDifferences {
  readonly field: string;
  readonly groups: readonly { readonly group: string; readonly difference: Difference }[];
}

/** @param fields - of the dataset's items, to group differences by */
export function compareRuns(
  baseline: ComparedRun,
  candidates: readonly ComparedRun[],
  fields: readonly string[] = [],
): RunComparison {
  const comparisons = comparePairs(
    candidates.map((candidate) => ({ baseline, candidate })),
    fields,
  ).map(({ comparison }) => comparison);
  return {
    baseline: summaryOf(baseline),
    candidates: comparisons,
    remarks: [
      ...new Set([
        ...said(candidates.map((candidate) => settingsRemark(baseline, candidate))),
        ...comparisons.flatMap(({ remarks }) => remarks),
      ]),
    ],
  };
}

/** In what two runs differ, which may be why their scores do. */
function settingsRemark(baseline: ComparedRun, candidate: ComparedRun): string | null {
  const changed = comparedChanges(baseline.manifest, candidate.manifest).map(
    ({ setting, was, is }) => `${setting} (${was} → ${is})`,
  );
  return changed.length === 0
    ? null
    : `${candidate.run} differs from ${baseline.run} in ${changed.join(', ')}`;
}

/**
 * Whether a comparison could have found a difference: at least half of the answers of both runs have scores, in enough clusters.
 * A scale without common answers is not asked.
 */
export const couldDecide = (comparisons: readonly CandidateComparison[]): boolean => {
  const asked = comparisons.filter(({ pairs, unscored }) => pairs + unscored > 0);
  return (
    asked.length > 0 &&
    asked.every(
      ({ verdict, pairs, unscored }) =>
        verdict !== 'too-few' &&
        verdict !== 'other-scorer' &&
        verdict !== 'not-comparable' &&
        pairs >= unscored,
    )
  );
};

/** Two runs, of which the candidate is set against the baseline. */
interface RunPair {
  readonly baseline: ComparedRun;
  readonly candidate: ComparedRun;
}

/** Compares pairs of runs. The p-values are corrected for all of them together. A pair occurs once for each scale. */
export function comparePairs<Pair extends RunPair>(
  runs: readonly Pair[],
  fields: readonly string[] = [],
): readonly { readonly pair: Pair; readonly comparison: CandidateComparison }[] {
  const all = new Set(runs.flatMap(({ baseline, candidate }) => [baseline, candidate]));
  const known = new Map([...all].map((run) => [run, prepare(run)]));
  const prepared = (run: ComparedRun): PreparedRun => known.get(run) ?? prepare(run);
  const compared = runs.flatMap((pair) => {
    const [baseline, candidate] = [prepared(pair.baseline), prepared(pair.candidate)];
    const { summary } = candidate;
    const remarks = remarksOn(baseline, candidate);
    return pairRuns(baseline, candidate).map((pairing) => ({
      ...{ pair, summary, remarks, pairing },
      difference: differenceIn(pairing),
    }));
  });
  const tested = compared.flatMap(({ difference }) => difference ?? []);
  const adjusted = holm(tested.map(({ p }) => p));
  const adjustedOf = new Map(tested.map((difference, index) => [difference, adjusted[index]]));
  return compared.map(({ pair, summary, remarks, pairing, difference }) => {
    const adjustedP = (difference && adjustedOf.get(difference)) ?? null;
    const comparison: CandidateComparison = {
      summary,
      scale: pairing.scale,
      difference,
      adjustedP,
      bounds: boundsOf(pairing),
      verdict: comparisonVerdict(
        difference,
        adjustedP,
        pair.baseline.scorer === pair.candidate.scorer,
      ),
      remarks,
      pairs: pairing.pairs.length,
      unscored: pairing.unscored,
      unpaired: pairing.unpaired,
      flips: flipsOf(pairing),
      fields: fields.map((field) => ({ field, groups: groupDifferences(pairing, field) })),
    };
    return { pair, comparison };
  });
}

/** A run with what all of its pairs need. */
interface PreparedRun extends ComparedRun {
  readonly summary: ComparedRunSummary;
  /** The question and the evaluator of each item, by its uuid. */
  readonly asked: ReadonlyMap<string, { readonly question: string; readonly evaluator: string }>;
  readonly mixed: string | null;
  /** Who answered behind a gateway; empty where none is named. */
  readonly upstreams: string;
}

const prepare = (run: ComparedRun): PreparedRun => ({
  ...run,
  answers: inOrder(run.answers),
  summary: summaryOf(run),
  mixed: mixedRemark(run),
  upstreams: upstreamsOf(answeredBy(run.answers)).toSorted().join(', '),
  asked: new Map(
    run.answers.map(({ uuid, item }) => [
      uuid,
      { question: item.question, evaluator: exactJson(evaluatorOf(item)) },
    ]),
  ),
});

function boundsOf({ scale, pairs, unscored }: Pairing): CandidateComparison['bounds'] {
  const all = pairs.length + unscored;
  if (all === 0) return null;
  const total = sum(
    pairs.map(({ baseline, candidate }) => scoreOn(scale, candidate) - scoreOn(scale, baseline)),
  );
  const unknown = unscored * differenceRange(scale).most;
  return { worst: (total - unknown) / all, best: (total + unknown) / all };
}

function groupDifferences({ pairs, scale }: Pairing, field: string): FieldDifferences['groups'] {
  const members = pairs.flatMap((pair) =>
    fieldValues(pair.baseline, field).map((group) => ({ group, pair })),
  );
  return [...groupsOf(members, ({ group }) => group)].flatMap(([group, found]) => {
    const difference = differenceIn({ pairs: found.map(({ pair }) => pair), scale });
    return difference === null ? [] : [{ group, difference }];
  });
}

const ruledRemarks = ({ run, summary }: PreparedRun): readonly string[] =>
  said(summary.headlines.map(rulingsText)).map(
    (text) => `${run} is compared as people have ruled: ${text}`,
  );

function remarksOn(baseline: PreparedRun, candidate: PreparedRun): readonly string[] {
  const all = [...candidate.asked].flatMap(([uuid, after]) => {
    const before = baseline.asked.get(uuid);
    return before === undefined ? [] : [{ before, after }];
  });
  const asked = all.filter(({ before, after }) => before.question === after.question);
  const evaluated = asked.filter(({ before, after }) => before.evaluator !== after.evaluator);
  const others = all.length - asked.length;
  return said([
    candidate.scorer !== baseline.scorer &&
      `${baseline.run} has scores of the ${baseline.scorer}, ${candidate.run} of the ${candidate.scorer}: \`turnwise score\` makes them alike`,
    others > 0 &&
      `${counted(others, 'question')} of ${candidate.run} ${others === 1 ? 'has' : 'have'} another text in ${baseline.run} and ${others === 1 ? 'is' : 'are'} not compared`,
    ruledRemarks(baseline),
    ruledRemarks(candidate),
    evaluated.length > 0 &&
      `${counted(evaluated.length, 'question')} ${evaluated.length === 1 ? 'has' : 'have'} another evaluator in ${candidate.run}`,
    answererRemark(baseline, candidate),
    [baseline.mixed, candidate.mixed],
    [baseline, candidate].map(
      ({ ended, run }) => !ended && `${run} has not ended: what it has so far is compared`,
    ),
  ]);
}

/** A run that was answered by several models or configurations is no measurement of one. */
function mixedRemark({ run, answers }: ComparedRun): string | null {
  const remark = answererText(addedAnswerers(answeredBy(answers)));
  return remark === null ? null : `${run}: ${remark}`;
}

const answeredBy = (answers: readonly RunAnswer[]): readonly Answerer[] =>
  resultsIn(answers).flatMap((result) => result.answeredBy ?? []);

/** What can explain a difference although the runs ask the same model: that other upstreams answered. */
const answererRemark = (baseline: PreparedRun, candidate: PreparedRun): string | null =>
  baseline.upstreams && candidate.upstreams && baseline.upstreams !== candidate.upstreams
    ? `${baseline.run} was answered by ${baseline.upstreams}, ${candidate.run} by ${candidate.upstreams}`
    : null;
