import { z } from 'zod';
import {
  endedForOutsideReasons,
  outcomeKinds,
  type OutcomeKind,
} from '../agent/question-result.js';
import type { FailureName } from '../failure-type.js';
import {
  addCost,
  addUsage,
  costSchema,
  noCost,
  noUsage,
  subtractCost,
  subtractUsage,
  usageSchema,
  type Cost,
  type Usage,
} from '../models/usage.js';
import { onScale, scaleOf, type Scale } from '../scoring/verdict.js';
import type { Score } from '../scoring/score.js';

/** The model calls of judges. */
const judgedSchema = z.object({ usage: usageSchema, cost: costSchema });
type Judged = Readonly<z.infer<typeof judgedSchema>>;

const nothingJudged: Judged = { usage: noUsage, cost: noCost };

/** Sums over the ended questions of a run. Means are computed where they are shown. */
export const runTotalsSchema = z.object({
  outcomes: z.partialRecord(z.enum(outcomeKinds), z.int().nonnegative()),
  turns: z.int().nonnegative(),
  usage: usageSchema,
  cost: costSchema,
  /** Not included in `usage` and `cost`. */
  judged: judgedSchema,
  scores: z.object({
    /** The sum of the scores from 0 to 1. */
    total: z.number(),
    scored: z.int().nonnegative(),
    unscored: z.int().nonnegative(),
    /** The sum and the number of the grades from 1 to 5, which neither `total` nor `scored` includes. Absent if there are none. */
    grades: z.object({ total: z.number(), scored: z.int().nonnegative() }).optional(),
  }),
});
export type RunTotals = Readonly<z.infer<typeof runTotalsSchema>>;
type ScoreTotals = RunTotals['scores'];

export const noScores: ScoreTotals = { total: 0, scored: 0, unscored: 0 };
const noGrades = { total: 0, scored: 0 };

export const noTotals: RunTotals = {
  outcomes: {},
  turns: 0,
  usage: noUsage,
  cost: noCost,
  judged: nothingJudged,
  scores: noScores,
};

/** What one answer adds to the sums of scores. */
export interface EndedScore {
  /** From 0 to 1. Null for an unscored answer. */
  readonly score: number | null;
  /** @defaultValue 'unit' */
  readonly scale?: Scale;
}

/** What one ended question adds to the totals. */
export interface EndedQuestion extends EndedScore {
  readonly outcome: OutcomeKind;
  readonly turns: number;
  readonly usage: Usage;
  readonly cost: Cost;
  /** Absent if no judge was asked. */
  readonly judged?: Judged;
  /** Why it ended as `infra-error`, or as one of `setUpOutcomes`. Absent for other outcomes. */
  readonly failure?: { readonly type: FailureName; readonly message: string };
}

export function addEnded(totals: RunTotals, ended: EndedQuestion): RunTotals {
  return {
    outcomes: { ...totals.outcomes, [ended.outcome]: (totals.outcomes[ended.outcome] ?? 0) + 1 },
    turns: totals.turns + ended.turns,
    usage: addUsage(totals.usage, ended.usage),
    cost: addCost(totals.cost, ended.cost),
    judged: addJudged(totals.judged, ended.judged ?? nothingJudged),
    scores: addScore(totals.scores, ended),
  };
}

/** Undoes `addEnded` for all questions of `removed`: they are asked again. */
export function removeTotals(totals: RunTotals, removed: RunTotals): RunTotals {
  const counts = outcomeKinds.map(
    (kind) => [kind, (totals.outcomes[kind] ?? 0) - (removed.outcomes[kind] ?? 0)] as const,
  );
  const { scores, judged } = removed;
  const grades = totals.scores.grades && {
    total: totals.scores.grades.total - (scores.grades?.total ?? 0),
    scored: totals.scores.grades.scored - (scores.grades?.scored ?? 0),
  };
  return {
    outcomes: Object.fromEntries(counts.filter(([, count]) => count > 0)),
    turns: totals.turns - removed.turns,
    usage: subtractUsage(totals.usage, removed.usage),
    cost: subtractCost(totals.cost, removed.cost),
    judged: subtractJudged(totals.judged, judged),
    scores: {
      total: totals.scores.total - scores.total,
      scored: totals.scores.scored - scores.scored,
      unscored: totals.scores.unscored - scores.unscored,
      ...(grades && { grades }),
    },
  };
}

export function addScore(scores: ScoreTotals, { score, scale = 'unit' }: EndedScore): ScoreTotals {
  if (score === null) return { ...scores, unscored: scores.unscored + 1 };
  const { total, scored } = scale === 'unit' ? scores : (scores.grades ?? noGrades);
  const sums = { total: total + onScale(score, scale), scored: scored + 1 };
  return scale === 'unit' ? { ...scores, ...sums } : { ...scores, grades: sums };
}

export const totalOfScores = (scores: readonly Pick<Score, 'score' | 'scorer'>[]): ScoreTotals =>
  scores.reduce(
    (sums, { score, scorer }) => addScore(sums, { score, scale: scaleOf(scorer) }),
    noScores,
  );

/** The means of a run, one for each scale that has scores. */
export const scoreMeans = ({
  grades = noGrades,
  ...scores
}: ScoreTotals): readonly {
  readonly scale: Scale;
  readonly mean: number;
  readonly scored: number;
}[] =>
  [
    { scale: 'unit' as const, ...scores },
    { scale: 'one-to-five' as const, ...grades },
  ].flatMap(({ scale, total, scored }) =>
    scored === 0 ? [] : [{ scale, mean: total / scored, scored }],
  );

const addJudged = (a: Judged, b: Judged): Judged => ({
  usage: addUsage(a.usage, b.usage),
  cost: addCost(a.cost, b.cost),
});

const subtractJudged = (a: Judged, b: Judged): Judged => ({
  usage: subtractUsage(a.usage, b.usage),
  cost: subtractCost(a.cost, b.cost),
});

export const endedCount = (totals: RunTotals): number =>
  Object.values(totals.outcomes).reduce((sum, count) => sum + count, 0);

/** Questions that ended for reasons outside the model. */
export const outsideFailures = ({ outcomes }: Pick<RunTotals, 'outcomes'>): number =>
  outcomeKinds
    .filter((kind) => endedForOutsideReasons[kind])
    .reduce((sum, kind) => sum + (outcomes[kind] ?? 0), 0);
