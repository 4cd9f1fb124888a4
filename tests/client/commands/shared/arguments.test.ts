import { describe, expect, it } from 'vitest';
import { deadline } from '../../../../client/services/option-values.js';

describe('a deadline', () => {
  it.each<[string, number]>([
    ['90m', 90 * 60_000],
    ['8h', 8 * 3_600_000],
    ['1.5d', 36 * 3_600_000],
  ])('%s is so far from now', (text, ms) => {
    const before = Date.now();
    const at = Date.parse(deadline(text));
    expect(at).toBeGreaterThanOrEqual(before + ms);
    expect(at).toBeLessThanOrEqual(Date.now() + ms);
  });

  it('may be a date with time, in any zone', () => {
    expect(deadline('2099-01-31T18:00+02:00')).toBe('2099-01-31T16:00:00.000Z');
  });

  it.each<[string, RegExp]>([
    ['2020-01-01T00:00Z', /It must be a time to come/],
    ['0m', /It must be a time to come/],
    ['soon', /date with time/],
    ['', /date with time/],
    ['8', /./],
    ['-8h', /./],
    ['9999999999d', /date with time/],
  ])('%j is refused', (text, reason) => {
    expect(() => deadline(text)).toThrow(reason);
  });
});
