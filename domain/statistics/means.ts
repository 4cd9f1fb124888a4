import { z } from 'zod';

/** A 95 % confidence interval. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * The sum, rounded once: the order of the values changes nothing. As Python's `math.fsum`: J. R. Shewchuk, "Adaptive precision
 * floating-point arithmetic and fast robust geometric predicates", Discrete & Computational Geometry 18 (1997).
 */
export function sum(values: readonly number[]): number {
  /** They do not overlap, and grow. Together they are the exact sum. */
  const parts: number[] = [];
  for (const value of values) {
    let carried = value;
    let kept = 0;
    for (const part of parts) {
      const [larger, smaller] =
        Math.abs(carried) < Math.abs(part) ? [part, carried] : [carried, part];
      carried = larger + smaller;
      const lost = smaller - (carried - larger);
      if (lost !== 0) parts[kept++] = lost;
    }
    parts.length = kept;
    parts.push(carried);
  }
  let total = parts.pop() ?? 0;
  let lost = 0;
  while (lost === 0 && parts.length > 0) {
    const part = parts.pop() ?? 0;
    const before = total;
    total += part;
    lost = part - (total - before);
  }
  // Half a last digit is rounded to even, unless what follows tips the scales.
  if (lost !== 0 && Math.sign(parts.at(-1) ?? 0) === Math.sign(lost)) {
    const up = total + 2 * lost;
    if (up - total === 2 * lost) total = up;
  }
  return Number.isNaN(total) ? values.reduce((all, value) => all + value, 0) : total;
}

/** NaN for an empty list. */
export const mean = (values: readonly number[]): number => sum(values) / values.length;

/** The middle value, or the mean of the two in the middle; NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2)];
  return ((sorted[low] ?? NaN) + (sorted[high] ?? NaN)) / 2;
}

/** The number of occurrences of each value, in the order of first occurrence. */
export function countsOf<T>(values: readonly T[]): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** The values by their keys, in the order of first occurrence. */
export function groupsOf<T, K>(
  values: readonly T[],
  keyOf: (value: T) => K,
): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const known = groups.get(key);
    if (known) known.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

/**
 * The variance of a question's scores between epochs, pooled over all questions: the mean square within groups of an
 * analysis of variance. Null when no question has two scores. R. A. Fisher, "Statistical methods for research
 * workers" (1925), chapter 7.
 */
export function withinQuestionVariance(questions: readonly (readonly number[])[]): number | null {
  const freedom = sum(questions.map(({ length }) => Math.max(0, length - 1)));
  if (freedom === 0) return null;
  const squares = questions.map((scores) => {
    const centre = mean(scores);
    return sum(scores.map((score) => (score - centre) ** 2));
  });
  return sum(squares) / freedom;
}

/**
 * The unbiased estimate of the probability that at least one of `k` attempts is right, given `right` right ones among
 * `attempts`. Null when there were fewer than k attempts. M. Chen et al., "Evaluating large language models trained on
 * code", arXiv 2107.03374 (2021).
 */
export function passAtK(attempts: number, right: number, k: number): number | null {
  if (k > attempts) return null;
  let allWrong = 1;
  for (let drawn = 0; drawn < k; drawn += 1) {
    allWrong *= Math.max(0, attempts - right - drawn) / (attempts - drawn);
  }
  return 1 - allWrong;
}

/** Durations of calls in milliseconds. `each` is stored because a run's percentiles need the values of all questions. */
export const latenciesSchema = z.object({
  p50: z.number().nonnegative(),
  p95: z.number().nonnegative(),
  /** In the order of the calls. */
  each: z.array(z.number().nonnegative()).readonly(),
});
export type Latencies = Readonly<z.infer<typeof latenciesSchema>>;

/** Null for an empty list. */
export function latenciesOf(each: readonly number[]): Latencies | null {
  if (each.length === 0) return null;
  const sorted = inOrder(each);
  return { p50: valueAt(sorted, 0.5), p95: valueAt(sorted, 0.95), each };
}

/** The smallest value that at least `percent` % of all values do not exceed. @param values - not empty */
export const percentile = (values: readonly number[], percent: number): number =>
  valueAt(inOrder(values), percent / 100);

/** The smallest of ascending values that at least a share of all does not exceed. */
const valueAt = (sorted: Float64Array, share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;

/** A typed array sorts several times faster than an array. */
const inOrder = (values: readonly number[]): Float64Array => Float64Array.from(values).sort();

/** The values of each key, in the order of first occurrence: `Map.groupBy` of Node 21. */
export function groupBy<T, K>(values: Iterable<T>, keyOf: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

/** Cuts a list in front of each value that does not go on what stands before it. */
export function groupNeighbours<T>(
  values: Iterable<T>,
  goesOn: (value: T, before: T, group: readonly T[]) => boolean,
): T[][] {
  const groups: T[][] = [];
  for (const value of values) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group !== undefined && before !== undefined && goesOn(value, before, group))
      group.push(value);
    else groups.push([value]);
  }
  return groups;
}
