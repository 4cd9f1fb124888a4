import {
  matched,
  unmatched,
  type ExecutionMatch,
  type GoldComparison,
} from './result-comparison.js';
import { sqliteRows, tupleKey } from './sqlite-values.js';

/** BIRD: the sets of rows are equal. Columns have an order, rows have none, and a repeated row counts once. */
export function birdMatch({ predicted, gold }: GoldComparison): ExecutionMatch {
  const [given, expected] = [predicted, gold].map((result) => sqliteRows(result).map(tupleKey));
  return setsMatch(new Set(given), new Set(expected));
}

/** Whether two sets of keys of rows are equal. */
export function setsMatch(
  given: ReadonlySet<string>,
  expected: ReadonlySet<string>,
): ExecutionMatch {
  if ([...expected].some((row) => !given.has(row)))
    return unmatched('A row of the gold is missing.');
  return given.size === expected.size ? matched : unmatched('A row is not in the gold.');
}
