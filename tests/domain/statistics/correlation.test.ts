import { describe, expect, it } from 'vitest';
import { correlationOf, pearson, spearman } from '../../../domain/statistics/correlation.js';

const zip = (xs: readonly number[], ys: readonly number[]) =>
  xs.map((x, at) => [x, ys[at] ?? NaN] as const);

describe('correlations', () => {
  it.each([
    ['a line', [1, 2, 3, 4], [3, 5, 7, 9], 1],
    ['a falling line', [1, 2, 3], [3, 2, 1], -1],
    // By hand: sum of products 3, sums of squares 5 and 5.
    ['four points', [1, 2, 3, 4], [2, 1, 4, 3], 3 / 5],
    ['no variation', [0.1, 0.1, 0.1], [1, 2, 3], null],
    ['nothing', [], [], null],
  ])('follow Pearson for %s', (_, xs, ys, expected) => {
    const value = pearson(zip(xs, ys));
    if (expected === null) expect(value).toBeNull();
    else expect(value).toBeCloseTo(expected, 12);
  });

  it('are phi for two variables of 0 and 1', () => {
    // Cells of the table of two members: 3 both, 1 and 2 one only, 4 neither.
    const pairs = [
      ...Array.from({ length: 3 }, () => [1, 1] as const),
      [1, 0] as const,
      ...Array.from({ length: 2 }, () => [0, 1] as const),
      ...Array.from({ length: 4 }, () => [0, 0] as const),
    ];
    expect(pearson(pairs)).toBeCloseTo((3 * 4 - 1 * 2) / Math.sqrt(4 * 6 * 5 * 5), 12);
  });

  it.each([
    // Without ties 1 − 6 Σd² / (n (n² − 1)); the differences of ranks are 1, 1, 0, 1, 1.
    ['distinct values', [10, 20, 30, 40, 50], [2, 1, 3, 6, 4], 0.8],
    ['any rising curve', [1, 2, 3, 4], [1, 8, 27, 64], 1],
    // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5 / √(4.5 · 5).
    ['ties, which share their ranks', [1, 2, 2, 3], [1, 2, 3, 4], 4.5 / Math.sqrt(4.5 * 5)],
  ])('follow Spearman for %s', (_, xs, ys, expected) => {
    expect(spearman(zip(xs, ys))).toBeCloseTo(expected, 12);
  });

  it('have an interval by Fisher, wider for ranks and with fewer independent pairs', () => {
    const pairs = zip([1, 2, 3, 4, 5, 6, 7], [2, 1, 4, 3, 7, 5, 6]);
    const value = pearson(pairs) ?? NaN;
    const half = 1.959964 / Math.sqrt(4);
    const found = correlationOf('point-biserial', pairs);
    expect(found?.value).toBeCloseTo(value, 12);
    expect(found?.interval?.low).toBeCloseTo(Math.tanh(Math.atanh(value) - half), 6);
    expect(found?.interval?.high).toBeCloseTo(Math.tanh(Math.atanh(value) + half), 6);
    const ranked = correlationOf('spearman', pairs)?.interval;
    expect(ranked?.low).toBeLessThan(found?.interval?.low ?? NaN);
    expect(correlationOf('spearman', pairs, 5)?.interval?.low).toBeLessThan(ranked?.low ?? NaN);
  });

  it.each([
    ['three pairs', zip([1, 2, 3], [1, 3, 2])],
    ['a perfect correlation', zip([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])],
  ])('have no interval for %s', (_, pairs) => {
    expect(correlationOf('spearman', pairs)?.interval).toBeNull();
  });

  it('are null where nothing varies', () => {
    expect(correlationOf('spearman', zip([1, 2], [1, 1]))).toBeNull();
  });
});
