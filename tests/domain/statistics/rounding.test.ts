import { expect, it } from 'vitest';
import { isClose, roundTo } from '../../../domain/statistics/rounding.js';

it.each([
  [2.675, 2, 2.67],
  [0.125, 2, 0.12],
  [0.375, 2, 0.38],
  [1.005, 2, 1],
  [1.0049999, 2, 1],
  [-0.126, 2, -0.13],
  [2.5, 0, 2],
  [3.5, 0, 4],
  [-2.5, 0, -2],
  [1234.5, -2, 1200],
  [1250, -2, 1200],
  [1350, -2, 1400],
  [1e22, -21, 1e22],
  [1e-7, 10, 1e-7],
  [1.5, 400, 1.5],
  [1.5, -400, 0],
  [Infinity, 2, Infinity],
])('rounds %d to %i digits: %d', (value, digits, rounded) => {
  expect(roundTo(value, digits)).toBe(rounded);
});

it.each([
  [1, 1 + 1e-7, 1e-6, true],
  [0, 1e-9, 1e-6, false],
  [0, 0, 0, true],
  [Infinity, Infinity, 0, true],
  [Infinity, 1, 1, false],
  [NaN, NaN, 1, false],
])('takes %d and %d for close within %d: %s', (a, b, tolerance, close) => {
  expect(isClose(a, b, tolerance)).toBe(close);
});

it('takes numbers for close within an absolute tolerance as well', () => {
  expect(isClose(0, 0.01, 1e-9, 0.01)).toBe(true);
  expect(isClose(0, 0.011, 1e-9, 0.01)).toBe(false);
  expect(isClose(2e12, 2e12 + 100, 1e-9, 0.01)).toBe(true);
});
