import type { OutcomeKind } from '../agent/question-result.js';
import { countsOf } from '../statistics/means.js';
import { epochScores, estimateOf, type EpochScores, type Estimate } from './score-estimate.js';
import {
  clusterOf,
  scoreOf,
  verdictCountOf,
  type GoldItem,
  type ScoredSample,
  type VerdictCount,
} from './scored-sample.js';

/** All that is known of a run's scores. Counts add up to the number of samples, so that nothing leaves unseen. */
export interface ScoreLedger {
  readonly headline: Headline;
  readonly outcomes: Readonly<Partial<Record<OutcomeKind | 'not-ended', number>>>;
  readonly verdicts: Readonly<Partial<Record<VerdictCount, number>>>;
  /** By `tags`, by `evaluator.eval_func` and by each field that was asked for. */
  readonly groups: readonly FieldScores[];
  /** Null where every question was asked once. */
  readonly epochs: EpochScores | null;
}

export interface FieldScores {
  readonly field: string;
  readonly scores: readonly GroupScore[];
}

const usualFields = ['tags', 'evaluator.eval_func'];

/** @param fields - of the dataset's items, beside the usual ones; dots lead into objects. */
export function scoreLedger(
  samples: readonly ScoredSample[],
  fields: readonly string[] = [],
): ScoreLedger {
  return {
    headline: headlineOf(samples),
    outcomes: kindCounts(samples.map(({ outcome }) => outcome ?? 'not-ended')),
    verdicts: kindCounts(samples.map(verdictCountOf)),
    groups: [...new Set([...usualFields, ...fields])].map((field) => ({
      field,
      scores: groupScores(samples, field),
    })),
    epochs: epochScores(samples),
  };
}

// Its keys are the kinds that were counted.
const kindCounts = <Kind extends string>(kinds: readonly Kind[]): Partial<Record<Kind, number>> =>
  Object.fromEntries(countsOf(kinds)) as Partial<Record<Kind, number>>;

export interface GroupScore extends Headline {
  readonly group: string;
}

/** Stands for items that do not have the field. */
const noValue = '(none)';

/**
 * Samples by the value of a field of their items, dots leading into it. A sample with a list belongs to the group of each
 * member, so that groups may overlap and do not add up. In order of first appearance.
 */
export function groupScores(
  samples: readonly ScoredSample[],
  field: string,
): readonly GroupScore[] {
  const groups = new Map<string, ScoredSample[]>();
  for (const sample of samples) {
    for (const group of fieldValues(sample.item, field)) {
      const known = groups.get(group);
      if (known) known.push(sample);
      else groups.set(group, [sample]);
    }
  }
  return [...groups].map(([group, members]) => ({ group, ...headlineOf(members) }));
}

/** The values of an item's field, each once, as texts. */
export function fieldValues(item: GoldItem, field: string): readonly string[] {
  const value = field
    .split('.')
    .reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
          ? (inner as Readonly<Record<string, unknown>>)[key]
          : undefined,
      item,
    );
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.length === 0 ? [noValue] : [...new Set(values.map(textOf))];
}

function textOf(value: unknown): string {
  if (value === undefined || value === null || value === '') return noValue;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What a set of samples scored, and what is not known of it. */
export interface Headline {
  readonly samples: number;
  /** Those that can have a score at all: they name an evaluator. */
  readonly scorable: number;
  readonly scored: number;
  /** Scorable, and without a score: under way, failed for outside reasons, or not judged. */
  readonly unresolved: number;
  /** Over the scored ones alone; null where there are none. */
  readonly score: Estimate | null;
  /** The mean if all that is unresolved came to 0, and if it came to 1; null where nothing can have a score. */
  readonly bounds: { readonly worst: number; readonly best: number } | null;
}

export function headlineOf(samples: readonly ScoredSample[]): Headline {
  const scorable = samples.filter((sample) => verdictCountOf(sample) !== 'no-evaluator');
  const scores = scorable.flatMap((sample) => {
    const score = scoreOf(sample);
    return score === null ? [] : [{ score, cluster: clusterOf(sample) }];
  });
  const total = scores.reduce((sum, { score }) => sum + score, 0);
  const unresolved = scorable.length - scores.length;
  return {
    samples: samples.length,
    scorable: scorable.length,
    scored: scores.length,
    unresolved,
    score: estimateOf(scores),
    bounds:
      scorable.length === 0
        ? null
        : { worst: total / scorable.length, best: (total + unresolved) / scorable.length },
  };
}
