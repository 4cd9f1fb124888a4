import { cellText } from './cell-text.js';
import type { Cell } from './table-result.js';
import { countTokens, surelyWithin, truncateTokens } from './tokens.js';

/** Cuts the longest cells of a row, each with a note, so that all its cells together hold about `maxTokens`. */
export function fitRow(row: readonly Cell[], maxTokens: number): readonly Cell[] {
  if (surelyWithin(row.map(cellText).join(''), maxTokens)) return row;
  const sizes = row.map((cell) => countTokens(cellText(cell)));
  const share = fairShare(sizes, maxTokens);
  return row.map((cell, index) => {
    const size = sizes[index] ?? 0;
    if (size <= share) return cell;
    return `${truncateTokens(cellText(cell), share)}… [cut: ${share} of ${size} tokens shown]`;
  });
}

/** The most that each may take when those who need less leave the rest to the others. */
function fairShare(sizes: readonly number[], total: number): number {
  let left = total;
  let sharers = sizes.length;
  for (const size of sizes.toSorted((a, b) => a - b)) {
    if (size * sharers > left) return Math.max(1, Math.floor(left / sharers));
    left -= size;
    sharers -= 1;
  }
  return Infinity;
}
