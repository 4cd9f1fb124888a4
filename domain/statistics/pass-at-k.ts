/**
 * The chance that at least one of `k` attempts is right, from `attempts` of which `right` were: the mean over every
 * choice of k among them, hence without bias. M. Chen et al., "Evaluating large language models trained on code",
 * arXiv 2107.03374 (2021). Null where there were fewer than k attempts.
 */
export function passAtK(attempts: number, right: number, k: number): number | null {
  if (k > attempts) return null;
  let allWrong = 1;
  for (let drawn = 0; drawn < k; drawn += 1) {
    allWrong *= Math.max(0, attempts - right - drawn) / (attempts - drawn);
  }
  return 1 - allWrong;
}
