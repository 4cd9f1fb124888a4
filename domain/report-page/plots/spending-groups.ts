import { estimateOf, type ClusteredScore, type Estimate } from '../../reports/estimate.js';
import { mean } from '../../statistics/mean.js';

/** What a question spent, and scored. */
export interface Spending extends ClusteredScore {
  readonly spent: number;
}

/** Questions that spent about as much. */
export interface SpendingGroup {
  readonly questions: number;
  /** The mean of what they spent. */
  readonly spent: number;
  readonly score: Estimate;
}

/** Questions by what they spent, in at most so many groups of about equal size, the thriftiest first. */
export function spendingGroups(
  questions: readonly Spending[],
  most: number,
): readonly SpendingGroup[] {
  const sorted = questions.toSorted((a, b) => a.spent - b.spent);
  const groups = Math.min(most, Math.floor(sorted.length / 5) || 1);
  return Array.from({ length: groups }, (_, at) =>
    sorted.slice((at * sorted.length) / groups, ((at + 1) * sorted.length) / groups),
  ).flatMap((members): SpendingGroup[] => {
    const score = estimateOf(members);
    return score === null
      ? []
      : [{ questions: members.length, spent: mean(members.map(({ spent }) => spent)), score }];
  });
}
