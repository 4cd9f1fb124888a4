/** A line that may be a numbered heading. */
export interface ChainItem {
  readonly path: readonly number[];
  /** How much its print speaks for a heading. Not above 0: never taken alone. */
  readonly weight: number;
}

/** A predecessor is looked for among so many items, to stay fast in documents with thousands of numbered lines. */
const lookBack = 300;

/** The reason for it: numbers that a reader would miss cost more than a heading in a weak print gives. */
const skipCost = 2;

/**
 * The heaviest sequence of items whose numbers follow each other as those of sections do: 1, 2, 2.1, 2.2, 3. A number may be
 * missing at a cost.
 * @param items - in reading order
 * @param restartCost - of beginning again at 1
 * @returns indexes of the items, ascending
 */
export function heaviestChain(items: readonly ChainItem[], restartCost: number): readonly number[] {
  const best: { weight: number; before: number }[] = [];
  for (const [index, { path, weight }] of items.entries()) {
    const start = startCost(path);
    let chosen = { weight: start === null ? -Infinity : weight - start, before: -1 };
    for (let before = Math.max(0, index - lookBack); before < index; before += 1) {
      const cost = costBetween(items[before]?.path ?? [], path, restartCost);
      const total = (best[before]?.weight ?? -Infinity) + weight - (cost ?? Infinity);
      if (total > chosen.weight) chosen = { weight: total, before };
    }
    best.push(chosen);
  }
  let at = best.reduce(
    (top, { weight }, index) => (weight > (best[top]?.weight ?? 0) ? index : top),
    -1,
  );
  const chain: number[] = [];
  while (at !== -1) {
    chain.push(at);
    at = best[at]?.before ?? -1;
  }
  return chain.reverse();
}

/** Null for numbers that no document begins with. */
function startCost(path: readonly number[]): number | null {
  const [first = 0] = path;
  if (first > 3) return null;
  return Math.max(0, first - 1) * skipCost + (path.length - 1) * skipCost;
}

/** Null if a heading with the second number cannot come after one with the first. */
function costBetween(
  before: readonly number[],
  after: readonly number[],
  restartCost: number,
): number | null {
  const same = after.findIndex((part, index) => part !== before[index]);
  if (same === -1) return null;
  const parents = after.length - same - 1;
  const deeper = after.slice(same + 1);
  const steps = (after[same] ?? 0) - (before[same] ?? 0);
  if (steps < 1 || steps > 3) {
    const [first, ...rest] = after;
    return first === 1 && rest.length === 0 ? restartCost : null;
  }
  if (deeper.some((part) => part > 2)) return null;
  return (steps - 1 + parents + deeper.filter((part) => part > 1).length) * skipCost;
}
