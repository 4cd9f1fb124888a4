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

/**
 * The probability of each number of successes, from 0 to the number of trials, in independent trials with these rates: the
 * Poisson-binomial distribution, exactly.
 */
export const poissonBinomial = (rates: readonly number[]): readonly number[] =>
  rates.reduce<readonly number[]>(
    (chances, rate) =>
      [...chances, 0].map(
        (chance, successes) => chance * (1 - rate) + (chances[successes - 1] ?? 0) * rate,
      ),
    [1],
  );

/** The chance that independent members with these rates have a majority in favour, if they have one. Null if they never have. */
export function majorityByChance(rates: readonly number[]): number | null {
  const chances = poissonBinomial(rates);
  const favour = sum(chances.filter((_, votes) => 2 * votes > rates.length));
  const against = sum(chances.filter((_, votes) => 2 * votes < rates.length));
  return favour + against === 0 ? null : favour / (favour + against);
}

/** The chance that independent members with these rates all decide alike. */
export function unanimityByChance(rates: readonly number[]): number {
  const chances = poissonBinomial(rates);
  return (chances[0] ?? 0) + (chances[rates.length] ?? 0);
}

/** How many independent members decide as well as these together. */
export interface EffectiveVotes {
  /** The members whose decisions vary. */
  readonly members: number;
  /** The mean correlation (phi) of pairs of members; below 0 it counts as 0. Null for a single member. */
  readonly correlation: number | null;
  /** Null if no member's decisions vary. */
  readonly votes: number | null;
  /** The members who always decide alike. They have no correlation and are not counted. */
  readonly leftOut: readonly string[];
}

/**
 * `n / (1 + (n − 1) · r)`, where r is the mean correlation of n members: the design effect of L. Kish, "Survey sampling" (1965),
 * for judges as in arXiv 2605.29800. Null without decisions.
 *
 * @param names - of the members
 * @param decisions - a row for each panel with a decision of each member: true for perfect, or for an error
 */
export function effectiveVotes(
  names: readonly string[],
  decisions: readonly (readonly boolean[])[],
): EffectiveVotes | null {
  if (decisions.length === 0) return null;
  const columns = names.map((name, member) => ({
    name,
    values: decisions.map((row) => Number(row[member])),
  }));
  const varies = ({ values }: (typeof columns)[number]): boolean => new Set(values).size > 1;
  const varying = columns.filter(varies);
  const correlations = varying.flatMap((first, at) =>
    varying
      .slice(at + 1)
      .flatMap(
        (second) =>
          pearson(first.values.map((value, row) => [value, second.values[row] ?? NaN])) ?? [],
      ),
  );
  const correlation = correlations.length === 0 ? null : Math.max(0, mean(correlations));
  const members = varying.length;
  return {
    members,
    correlation,
    votes: members === 0 ? null : members / (1 + (members - 1) * (correlation ?? 0)),
    leftOut: columns.filter((column) => !varies(column)).map(({ name }) => name),
  };
}
