/** What may be paired with what, by index: two members fit, or do not. */
export interface Pairing {
  readonly lefts: number;
  readonly rights: number;
  readonly fits: (left: number, right: number) => boolean;
  /** After which the search ends with what it has found. @defaultValue no bound */
  readonly mostSteps?: number;
}

/**
 * The size of a maximum bipartite matching, found by augmenting paths. Members of the same index are tried first: two lists in
 * nearly the same order take little time.
 * @param isWhole - whether anything below `lefts` is all the same, so that the search ends with the first that stays alone
 */
export function mostPairs(
  { lefts, rights, fits, mostSteps = Infinity }: Pairing,
  isWhole = false,
): number {
  const [leftOf, rightOf] = [new Map<number, number>(), new Map<number, number>()];
  const join = (left: number, right: number): void => {
    leftOf.set(right, left);
    rightOf.set(left, right);
  };
  const alone: number[] = [];
  let steps = 0;
  for (let left = 0; left < lefts; left += 1) {
    if (left < rights && fits(left, left)) join(left, left);
    else alone.push(left);
  }

  /** Pairs one more, for which the partners of others may change. Breadth first: a path can be as long as the lists. */
  const pair = (start: number): boolean => {
    const reachedFrom = new Map<number, number>();
    const open = [start];
    for (const left of open) {
      for (let right = 0; right < rights && steps < mostSteps; right += 1) {
        steps += 1;
        if (reachedFrom.has(right) || !fits(left, right)) continue;
        reachedFrom.set(right, left);
        const holder = leftOf.get(right);
        if (holder !== undefined) {
          open.push(holder);
          continue;
        }
        for (let free: number | undefined = right; free !== undefined;) {
          // Each right of the path was reached.
          const next = reachedFrom.get(free) as number;
          const before = rightOf.get(next);
          join(next, free);
          free = before;
        }
        return true;
      }
    }
    return false;
  };

  for (const left of alone) if (!pair(left) && isWhole) break;
  return leftOf.size;
}
