import { describe, expect, it } from 'vitest';
import { passAtK, withinQuestionVariance } from '../../../domain/statistics/means.js';

describe('passAtK', () => {
  const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);

  it.each([
    [10, 3, 1],
    [10, 3, 5],
    [200, 7, 10],
    [5, 0, 3],
    [5, 4, 2],
  ])('of %i attempts, %i right, for k = %i is the share of choices with a right one', (n, c, k) => {
    const published = n - c < k ? 1 : 1 - choose(n - c, k) / choose(n, k);
    expect(passAtK(n, c, k)).toBeCloseTo(published, 9);
  });

  it('cannot be told from fewer attempts than k', () => {
    expect(passAtK(2, 2, 3)).toBeNull();
  });
});

describe('withinQuestionVariance', () => {
  it('is the mean square within groups of the published analysis of variance', () => {
    // NIST/SEMATECH e-Handbook of Statistical Methods, 7.4.3.4: 17.45 over 12 degrees of freedom.
    const levels = [
      [6.9, 5.4, 5.8, 4.6, 4.0],
      [8.3, 6.8, 7.8, 9.2, 6.5],
      [8.0, 10.5, 8.1, 6.9, 9.3],
    ];
    expect(withinQuestionVariance(levels)).toBeCloseTo(17.452 / 12, 6);
  });

  it('is nothing without a question that was scored twice', () => {
    expect(withinQuestionVariance([[1], [0]])).toBeNull();
    expect(withinQuestionVariance([[1], [0, 1]])).toBe(0.5);
  });
});
