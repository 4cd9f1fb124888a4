/**
 * How far two raters agree beyond what their habits alone would bring about: 1 where they always do, 0 where it is
 * chance. Null where both always give the same one label, which nothing can be said about. J. Cohen, "A coefficient of
 * agreement for nominal scales", Educational and Psychological Measurement 20 (1960).
 */
export function cohensKappa(pairs: readonly (readonly [string, string])[]): number | null {
  const labels = new Set(pairs.flat());
  const agreed = pairs.filter(([first, second]) => first === second).length / pairs.length;
  const share = (rater: 0 | 1, label: string): number =>
    pairs.filter((pair) => pair[rater] === label).length / pairs.length;
  const expected = [...labels].reduce(
    (total, label) => total + share(0, label) * share(1, label),
    0,
  );
  return pairs.length === 0 || expected === 1 ? null : (agreed - expected) / (1 - expected);
}
