import { countsOf, mean, sum } from './means.js';

/**
 * How far two raters agree beyond what their habits alone would bring about: 1 where they always do, 0 where it is
 * chance. Null where both always give the same one label, which nothing can be said about. J. Cohen, "A coefficient of
 * agreement for nominal scales", Educational and Psychological Measurement 20 (1960).
 */
export function cohensKappa(pairs: readonly (readonly [string, string])[]): number | null {
  const labels = new Set(pairs.flat());
  const agreed = pairs.filter(([first, second]) => first === second).length / pairs.length;
  const share = (rater: 0 | 1, label: string): number =>
    pairs.filter((pair) => pair[rater] === label).length / pairs.length;
  const expected = [...labels].reduce(
    (total, label) => total + share(0, label) * share(1, label),
    0,
  );
  return pairs.length === 0 || expected === 1 ? null : (agreed - expected) / (1 - expected);
}

/**
 * Agreement beyond chance of as many raters for every item, who need not be the same ones. `counts` has a row an item
 * and a column a label: how many raters gave it. Null where all labels are the same, and below two raters or one item.
 * J. L. Fleiss, "Measuring nominal scale agreement among many raters", Psychological Bulletin 76 (1971).
 * @throws RangeError where the items differ in their number of raters
 */
export function fleissKappa(counts: readonly (readonly number[])[]): number | null {
  const raters = sum(counts[0] ?? []);
  if (counts.some((row) => sum(row) !== raters)) {
    throw new RangeError("every item needs as many raters for Fleiss' kappa");
  }
  if (raters < 2) return null;
  const agreed = mean(
    counts.map((row) => sum(row.map((count) => count * (count - 1))) / (raters * (raters - 1))),
  );
  const labels = counts[0]?.length ?? 0;
  const shares = Array.from({ length: labels }, (_, label) =>
    mean(counts.map((row) => (row[label] ?? 0) / raters)),
  );
  const expected = sum(shares.map((share) => share ** 2));
  return expected === 1 ? null : (agreed - expected) / (1 - expected);
}

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
