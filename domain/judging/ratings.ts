import { keyText, type SampleKey } from '../ids.js';
import type { Score } from '../questions/score.js';

/** What one rater, a judge or all of them together, found about answers: by `keyText`, from 0 to 1. */
export interface Rater {
  readonly name: string;
  readonly ratings: ReadonlyMap<string, number>;
  /** Answers it was asked about and found nothing. */
  readonly missing: number;
}

/** Each judge of a run's scores, in their order. None where no answer was judged. */
export function judgesIn(scores: readonly Score[]): readonly Rater[] {
  const judged = scores.filter(({ judging }) => judging !== undefined);
  const most = Math.max(0, ...judged.map(({ judging }) => judging?.judges.length ?? 0));
  const names = Array.from({ length: most }, (_, index) => nameOf(judged, index));
  return names.map((name, index) => {
    const found = judged.flatMap((score) => {
      const verdict = score.judging?.judges[index]?.verdict;
      return verdict === undefined ? [] : [{ key: keyText(score), verdict }];
    });
    const ratings = found.flatMap(({ key, verdict }) =>
      verdict.kind === 'scored' ? [[key, verdict.score] as const] : [],
    );
    return {
      name: names.indexOf(name) === index ? name : `${name} (${index + 1})`,
      ratings: new Map(ratings),
      missing: found.length - ratings.length,
    };
  });
}

/** The judges together, as they are scored. */
export function panelIn(scores: readonly Score[]): Rater {
  const judged = scores.filter(({ judging }) => judging !== undefined);
  const ratings = judged.flatMap((score) =>
    score.score === null ? [] : [[keyText(score), score.score] as const],
  );
  return { name: 'all judges', ratings: new Map(ratings), missing: judged.length - ratings.length };
}

/** As its provider names it where it has replied at all. */
function nameOf(judged: readonly Score[], index: number): string {
  const judges = judged.flatMap(({ judging }) => judging?.judges[index] ?? []);
  return (judges.find(({ calls }) => calls > 0) ?? judges[0])?.model ?? `judge ${index + 1}`;
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
