import fc from '../support/fast-check.js';
import { expect, it } from 'vitest';
import { grouped } from '../../domain/grouped.js';

it('groups counts as English does', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (count) => {
      expect(grouped(count)).toBe(count.toLocaleString('en-US'));
    }),
  );
  expect(grouped(1234.5)).toBe('1,235');
});
