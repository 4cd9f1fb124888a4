import { expect, it } from 'vitest';
import { isClose, roundTo } from '../../../domain/statistics/rounding.js';

it.each([
  [2.675, 2, 2.67],
  [0.125, 2, 0.12],
  [0.375, 2, 0.38],
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
