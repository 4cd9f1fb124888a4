import { expect, it } from 'vitest';
import { countText } from '../../domain/count-text.js';

it.each([
  [0, '0'],
  [9_999, '9,999'],
  [10_000, '10k'],
  [35_400, '35k'],
  [1_234_567, '1.2M'],
  [12_345_678, '12M'],
  [3_400_000_000, '3.4B'],
])('writes %i as %s', (count, text) => expect(countText(count)).toBe(text));
