import { expect, it } from 'vitest';
import { duration } from '../../domain/duration.js';

it.each([
  [40_000, '40 s'],
  [89_000, '89 s'],
  [720_000, '12 min'],
  [11_100_000, '3 h 5 min'],
  [353_000_000, '4 d 2 h'],
])('writes %i ms as %s', (ms, text) => expect(duration(ms)).toBe(text));
