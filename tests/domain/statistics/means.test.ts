import { describe, expect, it } from 'vitest';
import { mean, sum, groupBy, groupNeighbours } from '../../../domain/statistics/means.js';
import fc from '../../support/arbitrary/fast-check.js';

describe('sum', () => {
  // By `math.fsum` of Python 3.12.
  it.each([
    [[], 0],
    [[0.1, 0.2, 0.3], 0.6],
    [Array.from({ length: 10 }, () => 0.1), 1],
    [[1e100, 1, -1e100], 1],
    [[1, 2 ** -53, 2 ** -106], 1.0000000000000002],
    [[1, 2 ** -53], 1],
  ])('of %j is rounded once', (values, total) => {
    expect(sum(values)).toBe(total);
  });

  it('is that of plain addition where it is not finite', () => {
    expect(sum([Infinity, 1])).toBe(Infinity);
    expect(sum([NaN, 1])).toBeNaN();
  });

  it('depends on no order, and mirrors itself', () => {
    const finite = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }));
    fc.assert(
      fc.property(finite, (values) => {
        expect(sum(values.toReversed())).toBe(sum(values));
        expect(sum(values.map((value) => -value))).toBe(0 - sum(values));
      }),
    );
  });
});

it('has no mean of nothing', () => {
  expect(mean([])).toBeNaN();
});

it('groups by key, in the order of first occurrence', () => {
  const groups = groupBy([3, 1, 5, 2], (value) => value % 2);
  expect([...groups]).toEqual([
    [1, [3, 1, 5]],
    [0, [2]],
  ]);
});

it('cuts a list where a value does not go on what stands before it', () => {
  const steps = groupNeighbours([1, 2, 4, 5, 6], (value, before) => value - before === 1);
  expect(steps).toEqual([
    [1, 2],
    [4, 5, 6],
  ]);
});

it('shows each value the group that it may join', () => {
  const near = groupNeighbours([1, 2, 3, 4], (value, _, [first = 0]) => value - first < 2);
  expect(near).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

it('gives no group for no values', () => {
  expect(groupNeighbours([], () => true)).toEqual([]);
});
