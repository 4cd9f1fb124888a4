/**
 * Divides `total` by demand: nobody gets more than asked for while others go short, those who go short get equal parts,
 * and what nobody asks for is divided equally as well, so that all of it is there when it is wanted.
 * @param demands - Infinity for whoever takes what is to be had
 */
export function divide(total: number, demands: readonly number[]): readonly number[] {
  const shares = demands.map(() => 0);
  let left = total;
  // From the most modest one on: each gets what it asks for, or an equal part of what is left.
  const order = [...demands.keys()].sort((a, b) => (demands[a] ?? 0) - (demands[b] ?? 0));
  for (const [served, index] of order.entries()) {
    const share = Math.min(demands[index] ?? 0, left / (order.length - served));
    shares[index] = share;
    left -= share;
  }
  return shares.map((share) => share + left / shares.length);
}
