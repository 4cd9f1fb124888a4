import { describe, expect, it } from 'vitest';
import { fewestDecisiveFlips, holm, mcnemarExact } from '../../../domain/statistics/comparisons.js';
import { smallestDetectableDifference } from '../../../domain/statistics/intervals.js';

describe('mcnemarExact', () => {
  // A. Agresti, "Categorical data analysis", approval of the prime minister: 150 changed one way, 86 the other; the
  // exact p-value by `mcnemar.exact` of R's exact2x2. The small ones are fractions of a power of two.
  it.each([
    [150, 86, 3.716e-5],
    [1, 9, 22 / 1024],
    [0, 6, 2 / 64],
    [3, 3, 1],
    [0, 0, 1],
    [5100, 4900, 0.0465855277],
  ])('of %i and %i is the published one', (better, worse, p) => {
    expect(Math.abs(mcnemarExact(better, worse) - p)).toBeLessThan(1e-8);
    expect(mcnemarExact(worse, better)).toBe(mcnemarExact(better, worse));
  });

  it('calls six flips in one direction more than chance, and five not', () => {
    expect(fewestDecisiveFlips(0.05)).toBe(6);
    expect(mcnemarExact(6, 0)).toBeLessThan(0.05);
    expect(mcnemarExact(5, 0)).toBeGreaterThan(0.05);
  });
});

describe('holm', () => {
  it('raises p-values as the published example does, in the order given', () => {
    // R's p.adjust(c(.01, .04, .03, .005), "holm").
    expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
  });

  it('leaves one p-value as it is, and never exceeds 1', () => {
    expect(holm([0.04])).toEqual([0.04]);
    expect(holm([0.9, 0.8])).toEqual([1, 1]);
    expect(holm([])).toEqual([]);
  });
});

describe('smallestDetectableDifference', () => {
  it('needs 969 questions for three points, as the published example does', () => {
    // E. Miller, arXiv 2411.00640, section 5: a variance of differences of 1/9.
    expect(smallestDetectableDifference(Math.sqrt(1 / 9 / 969), 968)).toBeCloseTo(0.03, 4);
  });
});
