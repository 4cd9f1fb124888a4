import type { OutcomeKind } from '../questions/outcome.js';
import { countsOf } from '../statistics/counts-of.js';
import { epochScores, type EpochScores } from './epoch-scores.js';
import { groupScores, type GroupScore } from './group-scores.js';
import { headlineOf, type Headline } from './headline.js';
import { verdictCountOf, type ScoredSample, type VerdictCount } from './scored-sample.js';

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
