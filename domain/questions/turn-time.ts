import { percentile } from './latencies.js';
import type { Result } from './result.js';

/**
 * What a turn usually took, its action included: the median over questions, so that a pause of some is no matter. Null
 * where no turn was taken.
 */
export function usualTurnMs(
  results: readonly Pick<Result, 'startedAt' | 'endedAt' | 'turns'>[],
): number | null {
  const each = results
    .filter(({ turns }) => turns > 0)
    .map(({ startedAt, endedAt, turns }) => (Date.parse(endedAt) - Date.parse(startedAt)) / turns);
  return each.length === 0 ? null : percentile(each, 50);
}
