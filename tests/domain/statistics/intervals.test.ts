import { describe, expect, it } from 'vitest';
import {
  clusteredMean,
  normalQuantile,
  studentQuantile,
  wilsonInterval,
  fewestDecisiveFlips,
  holm,
  mcnemarExact,
  smallestDetectableDifference,
} from '../../../domain/statistics/intervals.js';

describe('quantiles', () => {
  it.each([
    [0.975, 1.959964],
    [0.995, 2.575829],
    [0.8, 0.841621],
  ])('of the normal distribution at %d are those of the tables', (p, z) => {
    expect(normalQuantile(p)).toBeCloseTo(z, 6);
  });

  it.each([
    [1, 12.7062047362],
    [2, 4.3026527297],
    [4, 2.7764451052],
    [10, 2.228138852],
    [120, 1.9799304051],
    [9999, 1.9602012636],
  ])('of Student’s t with %i degrees of freedom are those of the tables', (freedom, t) => {
    expect(Math.abs(studentQuantile(0.975, freedom) - t)).toBeLessThan(1e-6);
  });
});

describe('wilsonInterval', () => {
  // R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I,
  // method 3; digits beyond the fourth by statsmodels 0.14.
  it.each([
    [81, 263, 0.2552885, 0.3662096],
    [15, 148, 0.0623864, 0.1604872],
    [0, 20, 0, 0.1611252],
    [1, 29, 0.0061132, 0.1717552],
  ])('of %i in %i is the published one', (successes, trials, low, high) => {
    const interval = wilsonInterval(successes, trials);
    expect(Math.abs(interval.low - low)).toBeLessThan(1e-6);
    expect(Math.abs(interval.high - high)).toBeLessThan(1e-6);
  });

  it('mirrors itself, holds its own proportion, and says nothing of no trials', () => {
    const { low, high } = wilsonInterval(20, 20);
    expect(high).toBe(1);
    expect(low).toBeCloseTo(1 - wilsonInterval(0, 20).high, 12);
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
  });
});

describe('clusteredMean', () => {
  // S. L. Lohr, "Sampling: design and analysis", example 5.2: grade points of five suites of four students.
  const suites = [
    [3.08, 2.6, 3.44, 3.04],
    [2.36, 3.04, 3.28, 2.68],
    [2.0, 2.56, 2.52, 1.88],
    [3.0, 2.88, 3.44, 3.64],
    [2.68, 1.92, 3.28, 3.2],
  ];

  it('has the published mean and variance between clusters, without the correction for finite populations', () => {
    const { mean, standardError, interval, clusters } = clusteredMean(suites);
    expect(mean).toBeCloseTo(2.826, 6);
    // The book's variance of suite totals is 2.256, its standard error with the correction 0.164.
    expect(standardError).toBeCloseTo(Math.sqrt(2.25568 / 5) / 4, 6);
    expect(standardError * Math.sqrt(1 - 5 / 100)).toBeCloseTo(0.164, 3);
    expect(clusters).toBe(5);
    expect((interval.high - interval.low) / 2).toBeCloseTo(2.7764451 * standardError, 6);
  });

  it('of clusters of one is the textbook standard error of a mean', () => {
    const values = suites.flat();
    const { standardError } = clusteredMean(values.map((value) => [value]));
    const centre = values.reduce((sum, value) => sum + value, 0) / values.length;
    const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
    expect(standardError).toBeCloseTo(Math.sqrt(squares / (values.length - 1) / values.length), 12);
  });

  it.each([
    [[2, 2, 2, 2, 2, 2], 5],
    [[1, 5], 1],
    // tr(M)² / tr(M²) by the definition, with matrices in Python.
    [[1, 2, 3, 4, 5, 3], 3.887038],
    [[1, 1, 1, 9], 1.130841],
  ])('with clusters of %j values has the degrees of freedom of Bell and McCaffrey', (sizes, df) => {
    const values = sizes.map((size, at) => Array.from({ length: size }, () => at));
    expect(clusteredMean(values).degreesOfFreedom).toBeCloseTo(df, 5);
  });

  it('knows no bounds from one cluster', () => {
    expect(clusteredMean([[0, 1]])).toEqual({
      mean: 0.5,
      standardError: 0,
      clusters: 1,
      degreesOfFreedom: 0,
      interval: { low: -Infinity, high: Infinity },
    });
  });
});

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
