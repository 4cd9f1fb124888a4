/**
 * The names that a mistyped one may stand for, nearest first, at most three. Empty if none is near: a suggestion that is
 * not meant is worse than none.
 */
export function similarNames(word: string, names: Iterable<string>): readonly string[] {
  const typed = word.toLowerCase();
  const near = [...new Set(names)]
    .filter((name) => name !== word)
    .map((name) => ({ name, distance: nearness(typed, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= farthest(typed))
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  // Beside one that is nearer by more than a character, another is hardly meant.
  const nearest = near[0]?.distance ?? 0;
  return near
    .filter(({ distance }) => distance <= nearest + 1)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** ` (did you mean x?)`, to stand behind what was mistyped; nothing if no name is near. */
export function didYouMean(word: string, names: Iterable<string>): string {
  const [nearest, ...others] = similarNames(word, names);
  if (nearest === undefined) return '';
  return ` (did you mean ${[nearest, ...others].join(' or ')}?)`;
}

/** A third of the characters may be wrong: none of one or two, which would be near everything. */
const farthest = (word: string): number => Math.floor(word.length / 3);

/** A name that begins with what was typed is near whatever its length, once three characters are there. */
const nearness = (typed: string, name: string): number =>
  typed.length >= 3 && name.startsWith(typed) ? 1 : editDistance(typed, name);

/**
 * Insertions, deletions, replacements, and exchanges of two neighbours. F. J. Damerau, "A technique for computer detection
 * and correction of spelling errors", Communications of the ACM 7 (1964).
 */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const costs = [
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
      ];
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        costs.push(at(beforeLast, column - 2) + 1);
      }
      current.push(Math.min(...costs));
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, b.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Infinity;
