import { describe, expect, it } from 'vitest';
import {
  cohensKappa,
  fleissKappa,
  intervalDistance,
  krippendorffsAlpha,
  nominalDistance,
} from '../../../domain/statistics/agreement.js';

const times = (count: number, ...pair: [string, string]): [string, string][] =>
  Array.from({ length: count }, () => pair);

describe('cohensKappa', () => {
  it.each([
    [[20, 5, 10, 15], 0.4],
    [[45, 15, 25, 15], 0.1304348],
    [[25, 35, 5, 35], 0.2592593],
  ] as const)('of a table of %j is the published one', ([both, first, second, neither], kappa) => {
    const pairs = [
      ...times(both, 'yes', 'yes'),
      ...times(first, 'yes', 'no'),
      ...times(second, 'no', 'yes'),
      ...times(neither, 'no', 'no'),
    ];
    expect(cohensKappa(pairs)).toBeCloseTo(kappa, 6);
  });

  it('is nothing where both only ever say the same, or nothing', () => {
    expect(cohensKappa(times(3, 'yes', 'yes'))).toBeNull();
    expect(cohensKappa([])).toBeNull();
  });
});

describe('fleissKappa', () => {
  it('of fourteen raters of ten subjects is the published one', () => {
    // The worked example of the Wikipedia article on the measure: 0.210.
    const counts = [
      [0, 0, 0, 0, 14],
      [0, 2, 6, 4, 2],
      [0, 0, 3, 5, 6],
      [0, 3, 9, 2, 0],
      [2, 2, 8, 1, 1],
      [7, 7, 0, 0, 0],
      [3, 2, 6, 3, 0],
      [2, 5, 3, 2, 2],
      [6, 5, 2, 1, 0],
      [0, 2, 2, 3, 7],
    ];
    expect(fleissKappa(counts)).toBeCloseTo(0.2099307, 6);
  });

  it('refuses items of different numbers of raters, and says nothing of one label or one rater', () => {
    expect(() => fleissKappa([[2], [3]])).toThrow(RangeError);
    expect(fleissKappa([[3, 0]])).toBeNull();
    expect(fleissKappa([[1, 0]])).toBeNull();
    expect(fleissKappa([])).toBeNull();
  });
});

describe('krippendorffsAlpha', () => {
  // K. Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), section C: four observers, twelve units,
  // with values missing. The published alphas are 0.743 and 0.849.
  const units = [
    [1, 1, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [5, 5, 5],
    [1, 1],
    [3],
  ];

  it.each([
    ['nominal', nominalDistance, 0.7434211],
    ['interval', intervalDistance, 0.8491071],
  ] as const)('of %s ratings is the published one', (_name, distance, alpha) => {
    expect(krippendorffsAlpha(units, distance)).toBeCloseTo(alpha, 6);
  });

  it('is nothing where no ratings differ, or none can be paired', () => {
    expect(krippendorffsAlpha([[1, 1]], nominalDistance)).toBeNull();
    expect(krippendorffsAlpha([[1], [2]], nominalDistance)).toBeNull();
  });
});
