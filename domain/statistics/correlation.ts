import { normalQuantile, upperTail } from './intervals.js';
import { mean, sum, type Interval } from './means.js';

type Pairs = readonly (readonly [number, number])[];

/**
 * Pearson's product-moment correlation. For two variables of 0 and 1 this is phi, for one of 0 and 1 and another number the
 * point-biserial correlation. Null if a variable does not vary.
 */
export function pearson(pairs: Pairs): number | null {
  const [xs, ys] = [pairs.map(([x]) => x), pairs.map(([, y]) => y)];
  if (new Set(xs).size < 2 || new Set(ys).size < 2) return null;
  const [centreX, centreY] = [mean(xs), mean(ys)];
  const product = sum(pairs.map(([x, y]) => (x - centreX) * (y - centreY)));
  const squares = sum(xs.map((x) => (x - centreX) ** 2)) * sum(ys.map((y) => (y - centreY) ** 2));
  return Math.max(-1, Math.min(1, product / Math.sqrt(squares)));
}

/** Spearman's rank correlation; equal values share the mean of their ranks. Null if a variable does not vary. */
export function spearman(pairs: Pairs): number | null {
  const [ranksX, ranksY] = [ranks(pairs.map(([x]) => x)), ranks(pairs.map(([, y]) => y))];
  return pearson(ranksX.map((rank, index) => [rank, ranksY[index] ?? NaN]));
}

function ranks(values: readonly number[]): readonly number[] {
  const sorted = [...values].sort((a, b) => a - b);
  const rankOf = new Map<number, number>();
  for (const value of new Set(values)) {
    rankOf.set(value, (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2 + 1);
  }
  return values.map((value) => rankOf.get(value) ?? NaN);
}

export interface Correlation {
  readonly kind: 'point-biserial' | 'spearman';
  readonly value: number;
  /** Null for fewer than four independent pairs and for a correlation of 1 or −1, where it is unknown. */
  readonly interval: Interval | null;
}

/**
 * A correlation with its 95 % interval by Fisher's transformation; for Spearman's with the standard error of D. G. Bonett and
 * T. A. Wright, "Sample size requirements for estimating Pearson, Kendall and Spearman correlations", Psychometrika 65 (2000).
 * Null if a variable does not vary.
 *
 * @param independent - the number of pairs that are independent of one another; the others add nothing to the certainty
 */
export function correlationOf(
  kind: Correlation['kind'],
  pairs: Pairs,
  independent = pairs.length,
): Correlation | null {
  const value = kind === 'spearman' ? spearman(pairs) : pearson(pairs);
  if (value === null) return null;
  if (independent < 4 || Math.abs(value) === 1) return { kind, value, interval: null };
  const widening = kind === 'spearman' ? 1 + value ** 2 / 2 : 1;
  const half = normalQuantile(upperTail) * Math.sqrt(widening / (independent - 3));
  const centre = Math.atanh(value);
  return {
    kind,
    value,
    interval: { low: Math.tanh(centre - half), high: Math.tanh(centre + half) },
  };
}
