import { mean, sum } from './mean.js';

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
