import { z } from 'zod';
import { keyText, questionIdSchema, type SampleKey } from '../../ids.js';
import {
  cohensKappa,
  fleissKappa,
  intervalDistance,
  krippendorffsAlpha,
} from '../../statistics/agreement.js';
import { wilsonInterval } from '../../statistics/intervals.js';
import { mean, type Interval } from '../../statistics/means.js';
import { readSampleLines } from '../predictions.js';
import { type Judgements, type Score } from '../score.js';
import { onScale, scaleOf, rangeOf, type Scale } from '../verdict.js';

/** The ratings of a judge, of all judges together, or of people. */
export interface Rater {
  readonly name: string;
  /** In numbers of one scale, by the `keyText` of the sample. */
  readonly ratings: ReadonlyMap<string, number>;
  /** The number of answers that it was asked about and did not rate. */
  readonly missing: number;
}

/**
 * The judges of scores of one scale, in the order of the panel. If the panel changed between retries, one place has several
 * judges, each with the answers that it was asked about. Empty if no answer was judged.
 */
export function judgesIn(scores: readonly Score[]): readonly Rater[] {
  const judged = scores.flatMap((score) => (score.judging ? [{ score, ...score.judging }] : []));
  const places = Math.max(0, ...judged.map(({ judges }) => judges.length));
  const raters = Array.from({ length: places }, (_, place) => {
    const verdicts = judged.flatMap(({ score, judges }) => {
      const judge = judges[place];
      return judge === undefined
        ? []
        : [{ key: keyText(score), scale: scaleOf(score.scorer), ...judge }];
    });
    return ratersIn(verdicts);
  });
  const names = raters.flat().map(({ name }) => name);
  return raters.flatMap((sharing, place) =>
    sharing.map((rater) => {
      const isTaken = names.indexOf(rater.name) < raters.slice(0, place).flat().length;
      return isTaken ? { ...rater, name: `${rater.name} (${place + 1})` } : rater;
    }),
  );
}

type JudgeVerdict = Judgements['judges'][number] & { readonly key: string; readonly scale: Scale };

/**
 * The judges of one place, by the model names that their providers return. A judge that never replied has only its
 * configured name. It counts as the same judge if the place has only one other name.
 */
function ratersIn(verdicts: readonly JudgeVerdict[]): readonly Rater[] {
  const repliers = new Set(verdicts.flatMap(({ calls, model }) => (calls > 0 ? model : [])));
  const [only] = repliers;
  const nameOf = ({ calls, model }: JudgeVerdict): string =>
    calls === 0 && only !== undefined && repliers.size === 1 ? only : model;
  return [...new Set(verdicts.map(nameOf))].map((name) => {
    const found = verdicts.filter((each) => nameOf(each) === name);
    const ratings = found.flatMap(({ key, scale, verdict }) =>
      verdict.kind === 'scored' ? [[key, onScale(verdict.score, scale)] as const] : [],
    );
    return { name, ratings: new Map(ratings), missing: found.length - ratings.length };
  });
}

/** The combined verdicts of all judges, as one rater. */
export function panelIn(scores: readonly Score[]): Rater {
  const judged = scores.filter(({ judging }) => judging !== undefined);
  const ratings = judged.flatMap((score) =>
    score.score === null
      ? []
      : [[keyText(score), onScale(score.score, scaleOf(score.scorer))] as const],
  );
  return { name: 'all judges', ratings: new Map(ratings), missing: judged.length - ratings.length };
}

/** The ratings of the answers that both raters have rated. */
const pairsOf = (
  first: Rater,
  second: Rater,
): readonly (readonly [first: number, second: number])[] =>
  [...first.ratings].flatMap(([key, rating]) => {
    const other = second.ratings.get(key);
    return other === undefined ? [] : [[rating, other] as const];
  });

/** The labels of people, as one rater. */
export const humanRater = (labels: readonly (SampleKey & { readonly label: number })[]): Rater => ({
  name: 'labels',
  ratings: new Map(labels.map((each) => [keyText(each), each.label])),
  missing: 0,
});

/** The agreement of two raters on the answers that both have rated. */
export interface PairAgreement {
  readonly raters: readonly [string, string];
  readonly answers: number;
  /** The share of equal ratings. Null without answers. */
  readonly agreed: { readonly share: number; readonly interval: Interval } | null;
  /** Cohen's kappa. Null if it is undefined. */
  readonly kappa: number | null;
}

export interface JudgeAgreement {
  /** One for each pair of judges. */
  readonly pairs: readonly PairAgreement[];
  /** Fleiss' kappa over the answers that all judges have rated. Null if it is undefined. */
  readonly fleissKappa: number | null;
  readonly ratedByAll: number;
  /** Krippendorff's alpha with the interval metric. It includes answers that not all judges have rated. */
  readonly alpha: number | null;
}

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

/** The answers with one rating, and their labels. */
interface RatingLevel {
  /** Rounded to one decimal place. */
  readonly rating: number;
  readonly answers: number;
  readonly meanLabel: number;
}

/** A comparison of a rater's ratings with labels. */
export interface Calibration extends PairAgreement {
  /** Over the answers with a rating and a label. Null if there are none. */
  readonly meanRating: number | null;
  readonly meanLabel: number | null;
  /** The mean rating minus the mean label. Positive for a lenient rater. */
  readonly bias: number | null;
  /** For a calibrated rater, the mean label of each level equals its rating. */
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

/** A line of a file of labels: a person's score of one answer. */
const labelSchema = z.looseObject({
  uuid: questionIdSchema,
  epoch: z.int().min(1).default(1),
  label: z.union([z.boolean(), z.number()], { error: 'label must be true, false or a number' }),
});

interface Label extends SampleKey {
  /** In numbers of the answer's scale; 1 for true and 0 for false. */
  readonly label: number;
}

interface Labels {
  readonly labels: readonly Label[];
  /** Each names its line. */
  readonly problems: readonly string[];
}

/** @param known - the scales of the answers that may have labels, by `keyText` */
export function readLabels(text: string, known: ReadonlyMap<string, Scale>): Labels {
  const { lines, problems } = readSampleLines(text, labelSchema, {
    name: 'labels',
    problemOf: (sample) => problemOf(sample, known.get(keyText(sample))),
  });
  const labels = lines.map(({ value: { uuid, epoch, label } }) => ({
    uuid,
    epoch,
    label: Number(label),
  }));
  return { labels, problems };
}

function problemOf(
  { uuid, epoch, label }: z.infer<typeof labelSchema>,
  scale: Scale | undefined,
): string | null {
  if (scale === undefined) return `there is no answer to ${uuid} in epoch ${epoch}`;
  const { least, most } = rangeOf[scale];
  if (typeof label === 'boolean' ? scale === 'unit' : label >= least && label <= most) return null;
  return scale === 'unit'
    ? 'label must be true, false or a number from 0 to 1'
    : `label must be a number from 1 to 5, since the answer to ${uuid} is graded`;
}
