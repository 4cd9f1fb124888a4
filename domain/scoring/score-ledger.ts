import type { OutcomeKind } from '../agent/question-result.js';
import { countsOf } from '../statistics/means.js';
import { optionsOf, scorerName } from './execution-match/execution-options.js';
import { epochScores, estimateOf, type EpochScores, type Estimate } from './score-estimate.js';
import {
  clusterOf,
  scoreOf,
  verdictCountOf,
  type GoldItem,
  type ScoredSample,
  type VerdictCount,
} from './scored-sample.js';

/** The scores of a run. Each group of counts adds up to the number of samples. */
export interface ScoreLedger {
  readonly headline: Headline;
  readonly outcomes: Readonly<Partial<Record<OutcomeKind | 'not-ended', number>>>;
  readonly verdicts: Readonly<Partial<Record<VerdictCount, number>>>;
  /** By `tags`, by `evaluator.eval_func`, and by each requested field. */
  readonly groups: readonly FieldScores[];
  /** Null for a single epoch. */
  readonly epochs: EpochScores | null;
}

export interface FieldScores {
  readonly field: string;
  readonly scores: readonly GroupScore[];
}

/** Its groups are named as in `scores.jsonl`, with the rule of an evaluator that has one. */
const scorerField = 'evaluator.eval_func';

const defaultFields = ['tags', scorerField];

/** @param fields - further fields of the dataset's items; a dot leads into an object */
export function scoreLedger(
  samples: readonly ScoredSample[],
  fields: readonly string[] = [],
): ScoreLedger {
  return {
    headline: headlineOf(samples),
    outcomes: kindCounts(samples.map(({ outcome }) => outcome ?? 'not-ended')),
    verdicts: kindCounts(samples.map(verdictCountOf)),
    groups: [...new Set([...defaultFields, ...fields])].map((field) => ({
      field,
      scores: groupScores(samples, field),
    })),
    epochs: epochScores(samples),
  };
}

// `countsOf` has no other keys than the kinds.
const kindCounts = <Kind extends string>(kinds: readonly Kind[]): Partial<Record<Kind, number>> =>
  Object.fromEntries(countsOf(kinds)) as Partial<Record<Kind, number>>;

export interface GroupScore extends Headline {
  readonly group: string;
}

/** The group of items without the field. */
const noValue = '(none)';

/**
 * Groups samples by a field of their items, in order of first appearance. A sample whose field is a list belongs to the
 * group of each member, so the groups may overlap.
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

/** The distinct values of an item's field, as texts. */
export function fieldValues(item: GoldItem, field: string): readonly string[] {
  if (field === scorerField) return [scorerName(item.evaluator) ?? noValue];
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

/** The mean score of a set of samples, and the number of samples without a score. */
export interface Headline {
  readonly samples: number;
  /** Samples with an evaluator. */
  readonly scorable: number;
  readonly scored: number;
  /** Scorable samples without a score: in flight, not judged, or failed for reasons outside the model. */
  readonly unresolved: number;
  /** Over the scored samples. Null if there are none, or if they are scored by rules that call different results equal. */
  readonly score: Estimate | null;
  /** The mean if all unresolved samples had score 0, and if all had score 1. Null without scorable samples or such a mean. */
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
  const rules = new Set(scorable.flatMap(({ item }) => optionsOf(item.evaluator)?.rule ?? []));
  const hasMean = rules.size <= 1;
  return {
    samples: samples.length,
    scorable: scorable.length,
    scored: scores.length,
    unresolved,
    score: hasMean ? estimateOf(scores) : null,
    bounds:
      scorable.length === 0 || !hasMean
        ? null
        : { worst: total / scorable.length, best: (total + unresolved) / scorable.length },
  };
}
