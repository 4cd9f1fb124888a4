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
  type CarriedUsage,
  type Cost,
} from '../models/usage.js';

/** What judging took. */
export const judgedSchema = z.object({ usage: usageSchema, cost: costSchema });
export type Judged = Readonly<z.infer<typeof judgedSchema>>;

export const nothingJudged: Judged = { usage: noUsage, cost: noCost };

/** Adds up across pages of a run. A mean is taken once, where it is shown, with both counts. */
export const runTotalsSchema = z.object({
  outcomes: z.partialRecord(z.enum(outcomeKinds), z.int().nonnegative()),
  turns: z.int().nonnegative(),
  usage: usageSchema,
  cost: costSchema.default(noCost),
  /** What judges used, which is in none of the above. */
  judged: judgedSchema.default(nothingJudged),
  scores: z.object({
    /** Sum over the scored ones. */
    total: z.number(),
    scored: z.int().nonnegative(),
    unscored: z.int().nonnegative(),
  }),
});
export type RunTotals = Readonly<z.infer<typeof runTotalsSchema>>;
/** As workflows that began before a count was added still carry it. */
export type CarriedTotals = Readonly<z.input<typeof runTotalsSchema>>;

export const noTotals: RunTotals = {
  outcomes: {},
  turns: 0,
  usage: noUsage,
  cost: noCost,
  judged: nothingJudged,
  scores: { total: 0, scored: 0, unscored: 0 },
};

/** What one ended question adds. `score` is null where there was nothing to score or no way to. */
export interface EndedQuestion {
  readonly outcome: OutcomeKind;
  readonly turns: number;
  readonly usage: CarriedUsage;
  /** Absent in reports that were sent before costs were counted. */
  readonly cost?: Cost;
  /** Absent where no judge was asked. */
  readonly judged?: Judged;
  readonly score: number | null;
}

export function addEnded(totals: CarriedTotals, ended: EndedQuestion): RunTotals {
  const { scores } = totals;
  return {
    outcomes: { ...totals.outcomes, [ended.outcome]: (totals.outcomes[ended.outcome] ?? 0) + 1 },
    turns: totals.turns + ended.turns,
    usage: addUsage(totals.usage, ended.usage),
    cost: addCost(costOf(totals), ended.cost ?? noCost),
    judged: addJudged(judgedOf(totals), ended.judged ?? nothingJudged),
    scores:
      ended.score === null
        ? { ...scores, unscored: scores.unscored + 1 }
        : { ...scores, scored: scores.scored + 1, total: scores.total + ended.score },
  };
}

/** Undoes `addEnded`: the question is asked again. */
export function removeEnded(totals: CarriedTotals, ended: EndedQuestion): RunTotals {
  const { scores } = totals;
  const cost = costOf(totals);
  const left = (totals.outcomes[ended.outcome] ?? 0) - 1;
  const outcomes = Object.fromEntries(
    Object.entries({ ...totals.outcomes, [ended.outcome]: left }).filter(([, count]) => count > 0),
  );
  return {
    outcomes,
    turns: totals.turns - ended.turns,
    usage: subtractUsage(totals.usage, ended.usage),
    cost: subtractCost(cost, ended.cost ?? noCost),
    judged: subtractJudged(judgedOf(totals), ended.judged ?? nothingJudged),
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

/** In workflows that began before judges were counted there are none. */
export const judgedOf = ({ judged }: CarriedTotals): Judged =>
  judged ? { ...judged, usage: addUsage(noUsage, judged.usage) } : nothingJudged;

export const costOf = ({ cost }: CarriedTotals): Cost => cost ?? noCost;

export const endedCount = (totals: CarriedTotals): number =>
  Object.values(totals.outcomes).reduce((sum, count) => sum + count, 0);

/** Questions that ended for reasons outside the model. */
export const outsideFailures = ({ outcomes }: Pick<CarriedTotals, 'outcomes'>): number =>
  outcomeKinds
    .filter((kind) => endedForOutsideReasons[kind])
    .reduce((sum, kind) => sum + (outcomes[kind] ?? 0), 0);
