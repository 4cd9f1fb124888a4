import { keyText, type SampleKey } from '../../ids.js';
import {
  cohensKappa,
  fleissKappa,
  intervalDistance,
  krippendorffsAlpha,
} from '../../statistics/agreement.js';
import { wilsonInterval } from '../../statistics/intervals.js';
import { mean, type Interval } from '../../statistics/means.js';
import type { Judgements, Score } from '../score.js';
import { panelText } from './judging-config.js';

/** What one rater, a judge or all of them together, found about answers: by `keyText`, from 0 to 1. */
export interface Rater {
  readonly name: string;
  readonly ratings: ReadonlyMap<string, number>;
  /** Answers it was asked about and found nothing. */
  readonly missing: number;
}

/**
 * Each judge of a run's scores, by their places in the panel. Where questions were asked again after others had judged,
 * there are several of one place, each with the answers it was asked about. None where no answer was judged.
 */
export function judgesIn(scores: readonly Score[]): readonly Rater[] {
  const judged = scores.flatMap((score) => (score.judging ? [{ score, ...score.judging }] : []));
  const places = Math.max(0, ...judged.map(({ judges }) => judges.length));
  const raters = Array.from({ length: places }, (_, place) => {
    const heard = judged.flatMap(({ score, judges }) => {
      const judge = judges[place];
      return judge === undefined ? [] : [{ key: keyText(score), ...judge }];
    });
    return ratersIn(heard);
  });
  const names = raters.flat().map(({ name }) => name);
  return raters.flatMap((sharing, place) =>
    sharing.map((rater) => {
      const isTaken = names.indexOf(rater.name) < raters.slice(0, place).flat().length;
      return isTaken ? { ...rater, name: `${rater.name} (${place + 1})` } : rater;
    }),
  );
}

type Heard = Judgements['judges'][number] & { readonly key: string };

/** Of one place, by the names their providers give them; what has never replied belongs to the only one that has. */
function ratersIn(heard: readonly Heard[]): readonly Rater[] {
  const repliers = new Set(heard.flatMap(({ calls, model }) => (calls > 0 ? model : [])));
  const [only] = repliers;
  const nameOf = ({ calls, model }: Heard): string =>
    calls === 0 && only !== undefined && repliers.size === 1 ? only : model;
  return [...new Set(heard.map(nameOf))].map((name) => {
    const found = heard.filter((each) => nameOf(each) === name);
    const ratings = found.flatMap(({ key, verdict }) =>
      verdict.kind === 'scored' ? [[key, verdict.score] as const] : [],
    );
    return { name, ratings: new Map(ratings), missing: found.length - ratings.length };
  });
}

/** The panels that judged a run's answers, as `panelName` has them but by the names of their providers. */
export const panelsIn = (scores: readonly Score[]): readonly string[] => [
  ...new Set(
    scores.flatMap(({ judging }) =>
      judging ? panelText(judging.judges, judging.combination) : [],
    ),
  ),
];

/** The judges together, as they are scored. */
export function panelIn(scores: readonly Score[]): Rater {
  const judged = scores.filter(({ judging }) => judging !== undefined);
  const ratings = judged.flatMap((score) =>
    score.score === null ? [] : [[keyText(score), score.score] as const],
  );
  return { name: 'all judges', ratings: new Map(ratings), missing: judged.length - ratings.length };
}

/** Ratings of two raters of the same answers. */
const pairsOf = (
  first: Rater,
  second: Rater,
): readonly (readonly [first: number, second: number])[] =>
  [...first.ratings].flatMap(([key, rating]) => {
    const other = second.ratings.get(key);
    return other === undefined ? [] : [[rating, other] as const];
  });

/** What people found, as one rater. */
export const humanRater = (labels: readonly (SampleKey & { readonly label: number })[]): Rater => ({
  name: 'labels',
  ratings: new Map(labels.map((each) => [keyText(each), each.label])),
  missing: 0,
});

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
