import { countsOf } from './counts-of.js';
import { sum } from './mean.js';

/** How far apart two ratings are. */
export type RatingDistance = (a: number, b: number) => number;

/** Ratings are names: equal or not. */
export const nominalDistance: RatingDistance = (a, b) => (a === b ? 0 : 1);

/** Ratings are numbers, and half as far apart counts a quarter. */
export const intervalDistance: RatingDistance = (a, b) => (a - b) ** 2;

/**
 * Agreement beyond chance of any number of raters, some of whom may have left out some items: 1 where they agree, 0 where
 * it is chance. `items` has the ratings of each, in any order; an item of one rating tells nothing. Null where no two
 * ratings differ at all. K. Krippendorff, "Computing Krippendorff's alpha-reliability" (2011).
 */
export function krippendorffsAlpha(
  items: readonly (readonly number[])[],
  distance: RatingDistance,
): number | null {
  const pairable = items.filter((ratings) => ratings.length > 1);
  const all = pairable.flat();
  const observed = sum(
    pairable.map((ratings) => distances(ratings, distance) / (ratings.length - 1)),
  );
  const expected = distances(all, distance) / (all.length - 1);
  return all.length === 0 || expected === 0 ? null : 1 - observed / expected;
}

/** Over all ordered pairs. Equal ratings are counted together, since there may be many thousands and few kinds. */
function distances(ratings: readonly number[], distance: RatingDistance): number {
  const kinds = [...countsOf(ratings)];
  return sum(kinds.flatMap(([a, ofA]) => kinds.map(([b, ofB]) => ofA * ofB * distance(a, b))));
}
