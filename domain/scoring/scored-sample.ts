import type { OutcomeKind } from '../agent/question-result.js';
import { keyText, type SampleKey } from '../ids.js';
import { evaluatorOf, type DatasetItem, type ScoringFields } from './dataset-item.js';
import { onScale, scaleOf, scalesIn, type Scale } from './scale.js';
import type { Score } from './score.js';
import { mean } from '../statistics/means.js';
import type { UnscoredReason, Verdict } from './verdict.js';

/** An item of a dataset or of a file of gold answers, with all its fields. */
export type GoldItem = Pick<DatasetItem, 'uuid' | 'tags' | 'anchor_pdf' | 'database'> &
  ScoringFields &
  Readonly<Record<string, unknown>>;

/** A sample and its verdict. Includes samples that have no score or have not ended. */
export interface ScoredSample extends SampleKey {
  readonly item: GoldItem;
  /** Null if the question has not ended, or if a file of predictions does not contain it. */
  readonly outcome: OutcomeKind | null;
  /** Null if the outcome is. */
  readonly verdict: Verdict | null;
}

/** The kinds of samples that are counted. */
export type VerdictCount = 'scored' | UnscoredReason | 'not-ended';

/** A sample without an evaluator counts as `no-evaluator`, whatever its outcome. */
export const verdictCountOf = ({ verdict, item }: ScoredSample): VerdictCount => {
  if (evaluatorOf(item) === undefined) return 'no-evaluator';
  if (verdict === null) return 'not-ended';
  return verdict.kind === 'scored' ? 'scored' : verdict.reason;
};

export const scoreOf = ({ verdict }: ScoredSample): number | null =>
  verdict?.kind === 'scored' ? verdict.score : null;

/** The scale of a sample's score. Null if it has no evaluator. */
export const scaleOfSample = ({ item }: Pick<ScoredSample, 'item'>): Scale | null => {
  const evaluator = evaluatorOf(item);
  return evaluator === undefined ? null : scaleOf(evaluator.eval_func);
};

/** A sample's score in numbers of its scale. */
export function shownScore(sample: ScoredSample): number | null {
  const score = scoreOf(sample);
  return score === null ? null : onScale(score, scaleOfSample(sample) ?? 'unit');
}

/** The cluster of a sample in statistics: scores of questions about one paper, and of one question's epochs, are correlated. */
export const clusterOf = ({ item }: Pick<ScoredSample, 'item'>): string =>
  item.anchor_pdf[0] === undefined ? `question ${item.uuid}` : `paper ${item.anchor_pdf[0]}`;

/** Every question of a run in every epoch, in the dataset's order. */
export function scoredSamples({
  items,
  epochs,
  results,
  scores,
}: {
  readonly items: readonly GoldItem[];
  readonly epochs: number;
  readonly results: readonly (SampleKey & { readonly outcome: { readonly kind: OutcomeKind } })[];
  readonly scores: readonly Score[];
}): readonly ScoredSample[] {
  const outcomeOf = new Map(results.map((result) => [keyText(result), result.outcome.kind]));
  const verdictOf = new Map(scores.map((score) => [keyText(score), score.verdict]));
  return items.flatMap((item) =>
    Array.from({ length: epochs }, (_, index): ScoredSample => {
      const key = { uuid: item.uuid, epoch: index + 1 };
      const outcome = outcomeOf.get(keyText(key)) ?? null;
      // A score is written before its result. It counts once both are stored.
      const verdict = outcome === null ? null : (verdictOf.get(keyText(key)) ?? null);
      return { ...key, item, outcome, verdict };
    }),
  );
}

/** The differences of two scorings of the same answers. */
export interface ScoreDifferences {
  /** The number of answers with equal verdicts. */
  readonly same: number;
  readonly changed: readonly ScoreDifference[];
  /** One for each scale that either scoring uses. */
  readonly means: readonly ScaleMeans[];
}

export interface ScoreDifference extends SampleKey {
  /** Null if this scoring does not contain the answer. */
  readonly before: Verdict | null;
  readonly after: Verdict | null;
  readonly scale: Scale;
}

/** The means of two scorings on one scale. */
export interface ScaleMeans {
  readonly scale: Scale;
  /** Over the answers with a score. Null if there are none. */
  readonly before: number | null;
  readonly after: number | null;
}

/** Verdicts that differ only in their rationale count as equal. */
export function scoreDifferences(
  before: readonly Score[],
  after: readonly Score[],
): ScoreDifferences {
  const earlier = new Map(before.map((score) => [keyText(score), score]));
  const later = new Map(after.map((score) => [keyText(score), score]));
  const keys = new Map([...before, ...after].map((score) => [keyText(score), score]));
  const pairs = [...keys].map(([name, { uuid, epoch, scorer }]) => ({
    uuid,
    epoch,
    scale: scaleOf(scorer),
    before: earlier.get(name)?.verdict ?? null,
    after: later.get(name)?.verdict ?? null,
  }));
  const changed = pairs.filter((pair) => findingOf(pair.before) !== findingOf(pair.after));
  return {
    same: pairs.length - changed.length,
    changed,
    means: scalesIn([...before, ...after].map(({ scorer }) => scaleOf(scorer))).map((scale) => ({
      scale,
      before: meanOf(before, scale),
      after: meanOf(after, scale),
    })),
  };
}

const findingOf = (verdict: Verdict | null): number | string | null =>
  verdict === null ? null : verdict.kind === 'scored' ? verdict.score : verdict.reason;

function meanOf(scores: readonly Score[], scale: Scale): number | null {
  const numbers = scores.flatMap(({ score, scorer }) =>
    score === null || scaleOf(scorer) !== scale ? [] : [onScale(score, scale)],
  );
  return numbers.length === 0 ? null : mean(numbers);
}
