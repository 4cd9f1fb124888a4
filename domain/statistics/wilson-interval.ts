import type { Interval } from './interval.js';
import { normalQuantile, upperTail } from './quantiles.js';

/**
 * The score interval of a proportion, which stays within 0 and 1 and keeps its width at both ends. `successes` may be a
 * sum of partial credit: the interval then is wider than it need be. E. B. Wilson, "Probable inference, the law of
 * succession, and statistical inference", JASA 22 (1927).
 */
export function wilsonInterval(successes: number, trials: number): Interval {
  if (trials <= 0) return { low: 0, high: 1 };
  const z = normalQuantile(upperTail);
  const proportion = successes / trials;
  const shrink = 1 + z ** 2 / trials;
  const centre = (proportion + z ** 2 / (2 * trials)) / shrink;
  const half =
    (z / shrink) * Math.sqrt((proportion * (1 - proportion)) / trials + z ** 2 / (4 * trials ** 2));
  return {
    // Rounding must not leave a proportion of 0 or 1 outside its own interval.
    low: successes === 0 ? 0 : Math.max(0, centre - half),
    high: successes === trials ? 1 : Math.min(1, centre + half),
  };
}
