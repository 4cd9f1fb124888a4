import { z } from 'zod';

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
  return { p50: percentileIn(sorted, 50), p95: percentileIn(sorted, 95), each };
}

/** The smallest value that at least `percent` % of all values do not exceed. @param values - not empty */
export const percentile = (values: readonly number[], percent: number): number =>
  percentileIn(inOrder(values), percent);

const percentileIn = (sorted: Float64Array, percent: number): number =>
  sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? NaN;

/** A typed array sorts several times faster than an array. */
const inOrder = (values: readonly number[]): Float64Array => Float64Array.from(values).sort();
