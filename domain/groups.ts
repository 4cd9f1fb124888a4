/** The values of each key, in the order of first occurrence: `Map.groupBy` of Node 21. */
export function groupBy<T, K>(values: Iterable<T>, keyOf: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

/** Cuts a list in front of each value that does not go on what stands before it. */
export function groupNeighbours<T>(
  values: Iterable<T>,
  goesOn: (value: T, before: T, group: readonly T[]) => boolean,
): T[][] {
  const groups: T[][] = [];
  for (const value of values) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group !== undefined && before !== undefined && goesOn(value, before, group))
      group.push(value);
    else groups.push([value]);
  }
  return groups;
}
