import { expect, it } from 'vitest';
import { calculationObservation } from '../../../domain/observations/calculation-observation.js';

it.each([
  ['0.87 - 0.5', 'The calculated result is: 0.37'],
  ['[1, 2]', 'The calculated result is: [1, 2]'],
  ['3 > 2', 'The calculated result is: True'],
  ['1 / 0', '[Error]: division by zero'],
  ['10 ** 4300', '[Error]: Exceeds the limit (4300 digits) for integer string conversion'],
])('answers %s', (expression, content) =>
  expect(calculationObservation(expression).content).toBe(content),
);
