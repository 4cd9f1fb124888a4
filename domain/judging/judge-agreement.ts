import { cohensKappa } from '../statistics/cohens-kappa.js';
import { fleissKappa } from '../statistics/fleiss-kappa.js';
import type { Interval } from '../statistics/interval.js';
import { intervalDistance, krippendorffsAlpha } from '../statistics/krippendorffs-alpha.js';
import { mean } from '../statistics/mean.js';
import { wilsonInterval } from '../statistics/wilson-interval.js';
import { pairsOf, type Rater } from './ratings.js';

/** How two raters agree on the answers that both have rated. */
export interface PairAgreement {
  readonly raters: readonly [string, string];
  readonly answers: number;
  /** The share of equal ratings; null without answers. */
  readonly agreed: { readonly share: number; readonly interval: Interval } | null;
  /** Cohen's, of ratings that are equal or not; null where it says nothing. */
  readonly kappa: number | null;
}

export interface JudgeAgreement {
  /** Each judge against each later one. */
  readonly pairs: readonly PairAgreement[];
  /** Fleiss', over the answers that all have rated; null for one judge, and where it says nothing. */
  readonly fleissKappa: number | null;
  readonly ratedByAll: number;
  /** Krippendorff's, of ratings as numbers; answers that some judge has left out count as far as they go. */
  readonly alpha: number | null;
}

/** How judges of the same answers agree among themselves. */
export function judgeAgreement(judges: readonly Rater[]): JudgeAgreement {
  const keys = [...new Set(judges.flatMap(({ ratings }) => [...ratings.keys()]))];
  const items = keys.map((key) => judges.flatMap(({ ratings }) => ratings.get(key) ?? []));
  const whole = items.filter((ratings) => ratings.length === judges.length);
  const kinds = [...new Set(whole.flat())];
  const counts = whole.map((ratings) =>
    kinds.map((kind) => ratings.filter((rating) => rating === kind).length),
  );
  return {
    pairs: judges.flatMap((first, index) =>
      judges.slice(index + 1).map((second) => pairAgreement(first, second)),
    ),
    fleissKappa: whole.length === 0 ? null : fleissKappa(counts),
    ratedByAll: whole.length,
    alpha: krippendorffsAlpha(items, intervalDistance),
  };
}

function pairAgreement(first: Rater, second: Rater): PairAgreement {
  const pairs = pairsOf(first, second);
  const equal = pairs.filter(([a, b]) => a === b).length;
  return {
    raters: [first.name, second.name],
    answers: pairs.length,
    agreed:
      pairs.length === 0
        ? null
        : { share: equal / pairs.length, interval: wilsonInterval(equal, pairs.length) },
    kappa: cohensKappa(pairs.map(([a, b]) => [String(a), String(b)])),
  };
}

/** What answers of one rating are worth by their labels. */
export interface RatingLevel {
  /** To the nearest tenth. */
  readonly rating: number;
  readonly answers: number;
  readonly meanLabel: number;
}

/** How a rater's ratings stand to labels. */
export interface Calibration extends PairAgreement {
  /** Of the answers with both; null without any. */
  readonly meanRating: number | null;
  readonly meanLabel: number | null;
  /** How far the mean rating is above the mean label: what the headline gains by this rater's leniency. */
  readonly bias: number | null;
  /** Where ratings mean what they say, each level's mean label is its rating. */
  readonly levels: readonly RatingLevel[];
}

export function calibration(rater: Rater, labels: Rater): Calibration {
  const pairs = pairsOf(rater, labels);
  const meanRating = pairs.length === 0 ? null : mean(pairs.map(([rating]) => rating));
  const meanLabel = pairs.length === 0 ? null : mean(pairs.map(([, label]) => label));
  const levelOf = (rating: number): number => Math.round(rating * 10) / 10;
  const levels = [...new Set(pairs.map(([rating]) => levelOf(rating)))].sort((a, b) => a - b);
  return {
    ...pairAgreement(rater, labels),
    meanRating,
    meanLabel,
    bias: meanRating === null || meanLabel === null ? null : meanRating - meanLabel,
    levels: levels.map((rating) => {
      const own = pairs.filter(([other]) => levelOf(other) === rating);
      return { rating, answers: own.length, meanLabel: mean(own.map(([, label]) => label)) };
    }),
  };
}
