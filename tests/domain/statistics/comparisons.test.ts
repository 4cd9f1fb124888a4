import { describe, expect, it } from 'vitest';
import {
  pairedBootstrap,
  xoshiro128,
  fewestDecisiveFlips,
  holm,
  mcnemarExact,
} from '../../../domain/statistics/bootstrap.js';
import { smallestDetectableDifference } from '../../../domain/statistics/intervals.js';
import { variance } from '../../../domain/statistics/means.js';

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
    expect(smallestDetectableDifference(Math.sqrt(1 / 9 / 969))).toBeCloseTo(0.03, 6);
  });
});

describe('pairedBootstrap', () => {
  // B. Efron and R. Tibshirani, "An introduction to the bootstrap", table 2.1: survival of treated mice. The standard
  // error of their mean is 23.36 for endlessly many resamples.
  const mice = [94, 197, 16, 38, 99, 141, 23].map((days) => [days]);

  it('comes within 2 % of the published standard error', () => {
    const { standardError } = pairedBootstrap(mice, { resamples: 20_000, seed: 3 });
    expect(Math.abs(standardError - 23.36) / 23.36).toBeLessThan(0.02);
  });

  it('gives the same for the same seed, and about the same for another', () => {
    const first = pairedBootstrap(mice);
    expect(pairedBootstrap(mice)).toEqual(first);
    const other = pairedBootstrap(mice, { resamples: 10_000, seed: 2 });
    expect(other).not.toEqual(first);
    expect(Math.abs(other.interval.low - first.interval.low)).toBeLessThan(5);
  });

  it('has the interval of the normal distribution for many pairs, to a tenth of its half-width', () => {
    const differences = Array.from({ length: 400 }, (_, index) => (index % 4) - 1);
    const { interval } = pairedBootstrap(differences.map((difference) => [difference]));
    const half = 1.959964 * Math.sqrt(variance(differences) / 400);
    expect(Math.abs(interval.low - (0.5 - half))).toBeLessThan(0.1 * half);
    expect(Math.abs(interval.high - (0.5 + half))).toBeLessThan(0.1 * half);
  });

  it('draws clusters whole: pairs that always agree are worth one', () => {
    const copied = mice.map(([days = 0]) => [days, days, days]);
    expect(pairedBootstrap(copied).standardError).toBeCloseTo(
      pairedBootstrap(mice).standardError,
      9,
    );
  });
});

describe('xoshiro128', () => {
  it('draws the numbers of the reference implementation', () => {
    const draw = xoshiro128([1, 2, 3, 4]);
    expect(Array.from({ length: 10 }, draw)).toEqual([
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597,
      4258142804,
    ]);
  });
});
