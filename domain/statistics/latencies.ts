import { z } from 'zod';

/** Milliseconds that calls took. Percentiles of a run cannot be had from those of its questions, hence `each`. */
export const latenciesSchema = z.object({
  p50: z.number().nonnegative(),
  p95: z.number().nonnegative(),
  /** In the order of the calls. */
  each: z.array(z.number().nonnegative()).readonly(),
});
export type Latencies = Readonly<z.infer<typeof latenciesSchema>>;

/** Null where there are none. */
export function latenciesOf(each: readonly number[]): Latencies | null {
  if (each.length === 0) return null;
  const sorted = inOrder(each);
  return { p50: percentileIn(sorted, 50), p95: percentileIn(sorted, 95), each };
}

/** The least value that `percent` of all do not exceed. @param values - not empty */
export const percentile = (values: readonly number[], percent: number): number =>
  percentileIn(inOrder(values), percent);

const percentileIn = (sorted: Float64Array, percent: number): number =>
  sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? NaN;

/** Several times as fast as an array of tens of thousands is sorted. */
const inOrder = (values: readonly number[]): Float64Array => Float64Array.from(values).sort();
