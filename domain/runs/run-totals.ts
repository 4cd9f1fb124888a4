import { z } from 'zod';
import {
  endedForOutsideReasons,
  outcomeKinds,
  type OutcomeKind,
} from '../agent/question-result.js';
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
    /** The sum of all scores. */
    total: z.number(),
    scored: z.int().nonnegative(),
    unscored: z.int().nonnegative(),
  }),
});
export type RunTotals = Readonly<z.infer<typeof runTotalsSchema>>;
export const noTotals: RunTotals = {
  outcomes: {},
  turns: 0,
  usage: noUsage,
  cost: noCost,
  judged: nothingJudged,
  scores: { total: 0, scored: 0, unscored: 0 },
};

/** What one ended question adds to the totals. `score` is null for an unscored answer. */
export interface EndedQuestion {
  readonly outcome: OutcomeKind;
  readonly turns: number;
  readonly usage: Usage;
  readonly cost: Cost;
  /** Absent if no judge was asked. */
  readonly judged?: Judged;
  readonly score: number | null;
}

export function addEnded(totals: RunTotals, ended: EndedQuestion): RunTotals {
  const { scores } = totals;
  return {
    outcomes: { ...totals.outcomes, [ended.outcome]: (totals.outcomes[ended.outcome] ?? 0) + 1 },
    turns: totals.turns + ended.turns,
    usage: addUsage(totals.usage, ended.usage),
    cost: addCost(totals.cost, ended.cost),
    judged: addJudged(totals.judged, ended.judged ?? nothingJudged),
    scores:
      ended.score === null
        ? { ...scores, unscored: scores.unscored + 1 }
        : { ...scores, scored: scores.scored + 1, total: scores.total + ended.score },
  };
}

/** Undoes `addEnded`: the question is asked again. */
export function removeEnded(totals: RunTotals, ended: EndedQuestion): RunTotals {
  const { scores } = totals;
  const count = (totals.outcomes[ended.outcome] ?? 0) - 1;
  const outcomes = Object.fromEntries(
    Object.entries({ ...totals.outcomes, [ended.outcome]: count }).filter(([, each]) => each > 0),
  );
  return {
    outcomes,
    turns: totals.turns - ended.turns,
    usage: subtractUsage(totals.usage, ended.usage),
    cost: subtractCost(totals.cost, ended.cost),
    judged: subtractJudged(totals.judged, ended.judged ?? nothingJudged),
    scores:
      ended.score === null
        ? { ...scores, unscored: scores.unscored - 1 }
        : { ...scores, scored: scores.scored - 1, total: scores.total - ended.score },
  };
}

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
