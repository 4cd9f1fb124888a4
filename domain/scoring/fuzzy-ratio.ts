import { roundHalfEven } from './rounding.js';

/** Of two texts, 0 to 100. */
export type Measure = (a: string, b: string) => number;

/** fuzzywuzzy's `ratio` on python-Levenshtein (evaluation-functions.md §3.9): a substitution costs two. */
export const ratio: Measure = (a, b) => {
  if (a === b) return 100;
  if (a === '' || b === '') return 0;
  return roundHalfEven(100 * similarity(Array.from(a), Array.from(b)));
};

/** `ratio` unrounded and from 0 to 1, of code points. The order of operations decides some ties. */
export function similarity(a: readonly string[], b: readonly string[]): number {
  const sum = a.length + b.length;
  return sum === 0 ? 1 : 1 - (sum - 2 * commonSubsequence(a, b)) / sum;
}

/** Length of the longest common subsequence. */
function commonSubsequence(a: readonly string[], b: readonly string[]): number {
  let above = new Uint32Array(b.length + 1);
  let row = new Uint32Array(b.length + 1);
  for (const char of a) {
    for (let j = 1; j <= b.length; j += 1) {
      row[j] =
        b[j - 1] === char ? (above[j - 1] ?? 0) + 1 : Math.max(above[j] ?? 0, row[j - 1] ?? 0);
    }
    [above, row] = [row, above];
  }
  return above[b.length] ?? 0;
}
