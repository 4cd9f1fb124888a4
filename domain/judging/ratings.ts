import { keyText, type SampleKey } from '../ids.js';
import type { Score } from '../questions/score.js';
import type { Judgements } from './judgements.js';
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
export const pairsOf = (
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
