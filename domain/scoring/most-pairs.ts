/**
 * The most pairs that can be made of `lefts` and `rights` where `fits` allows, each used once (augmenting paths).
 * `fits` is asked at most once for a pair.
 */
export function mostPairs<L, R>(
  lefts: readonly L[],
  rights: readonly R[],
  fits: (left: L, right: R) => boolean,
): number {
  const fitting = lefts.map((left) => rights.map((right) => fits(left, right)));
  const leftOf = new Map<number, number>();

  const place = (left: number, tried: Set<number>): boolean => {
    for (const [right, fit] of (fitting[left] ?? []).entries()) {
      if (!fit || tried.has(right)) continue;
      tried.add(right);
      const holder = leftOf.get(right);
      if (holder === undefined || place(holder, tried)) {
        leftOf.set(right, left);
        return true;
      }
    }
    return false;
  };
  return lefts.filter((_, left) => place(left, new Set())).length;
}
