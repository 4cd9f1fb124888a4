import { normalQuantile, upperTail } from './intervals.js';
import { countsOf, mean, sum, type Interval } from './means.js';

/**
 * Agreement of two raters beyond chance: 1 for full agreement, 0 for chance. Null without pairs, and when both raters give one
 * and the same label throughout, because kappa is undefined then. J. Cohen, "A coefficient of agreement for nominal
 * scales", Educational and Psychological Measurement 20 (1960).
 */
export function cohensKappa(pairs: LabelPairs): number | null {
  const { agreed, expected } = agreementOf(pairs);
  return pairs.length === 0 || expected === 1 ? null : (agreed - expected) / (1 - expected);
}

/**
 * The interval of Cohen's kappa by the large-sample standard error of the same paper. Null where kappa is undefined, and for full
 * agreement, where that error is 0 however few the pairs are.
 */
export function kappaInterval(pairs: LabelPairs): Interval | null {
  const kappa = cohensKappa(pairs);
  const { agreed, expected } = agreementOf(pairs);
  if (kappa === null || agreed === 1) return null;
  const error = Math.sqrt((agreed * (1 - agreed)) / (pairs.length * (1 - expected) ** 2));
  const half = normalQuantile(upperTail) * error;
  return { low: Math.max(-1, kappa - half), high: Math.min(1, kappa + half) };
}

type LabelPairs = readonly (readonly [string, string])[];

/** The share of equal labels, and the share that chance alone would give. */
function agreementOf(pairs: LabelPairs): { readonly agreed: number; readonly expected: number } {
  const labels = new Set(pairs.flat());
  const agreed = pairs.filter(([first, second]) => first === second).length / pairs.length;
  const share = (rater: 0 | 1, label: string): number =>
    pairs.filter((pair) => pair[rater] === label).length / pairs.length;
  const expected = [...labels].reduce(
    (total, label) => total + share(0, label) * share(1, label),
    0,
  );
  return { agreed, expected };
}

/**
 * Agreement beyond chance when each item has the same number of raters; different items may have different raters. Null when
 * all labels are equal, with fewer than two raters, and without items. J. L. Fleiss, "Measuring nominal scale agreement
 * among many raters", Psychological Bulletin 76 (1971).
 * @param counts - one row per item and one column per label: how many raters gave it
 * @throws RangeError if items differ in their number of raters
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

/** The distance between two ratings. */
type RatingDistance = (a: number, b: number) => number;

/** For ratings that are names: equal or not. */
export const nominalDistance: RatingDistance = (a, b) => (a === b ? 0 : 1);

/** For ratings that are numbers: the squared difference. */
export const intervalDistance: RatingDistance = (a, b) => (a - b) ** 2;

/**
 * Agreement beyond chance of any number of raters, with missing ratings allowed: 1 for full agreement, 0 for chance. Null when
 * all ratings are equal. K. Krippendorff, "Computing Krippendorff's alpha-reliability" (2011).
 * @param items - the ratings of each item, in any order; items with one rating are ignored
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

/** The sum over all ordered pairs. Equal ratings are grouped, because many ratings have few distinct values. */
function distances(ratings: readonly number[], distance: RatingDistance): number {
  const kinds = [...countsOf(ratings)];
  return sum(kinds.flatMap(([a, ofA]) => kinds.map(([b, ofB]) => ofA * ofB * distance(a, b))));
}
