import { pearson } from './correlation.js';
import { mean, sum } from './means.js';

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
