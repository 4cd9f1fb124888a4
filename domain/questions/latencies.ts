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
  return { p50: percentile(each, 50), p95: percentile(each, 95), each };
}

/** The least value that `percent` of all do not exceed. @param values - not empty */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? NaN;
}
