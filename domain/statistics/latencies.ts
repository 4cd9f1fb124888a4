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
