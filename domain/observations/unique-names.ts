/** Column names as DuckDB tells equal ones apart, whatever their case: `a`, `A_1`, `a_2`. */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const used = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 1; used.has(unique.toLowerCase()); count++) unique = `${name}_${count}`;
    used.add(unique.toLowerCase());
    return unique;
  });
}
