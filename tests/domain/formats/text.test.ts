import { describe, expect, it } from 'vitest';
import {
  countText,
  duration,
  shortDuration,
  grouped,
  preview,
  visibleText,
} from '../../../domain/formats/text.js';
import fc from '../../support/arbitrary/fast-check.js';

describe('a preview', () => {
  it.each([
    ['one two', 7, 'one two'],
    ['  one \n\t two ', 7, 'one two'],
    ['one two', 6, 'one t…'],
    ['one two three four five', 9, 'one two …'],
    ['', 5, ''],
    [' \n ', 5, ''],
    ['𝔘𝔫𝔦𝔠', 4, '𝔘𝔫𝔦𝔠'],
    ['𝔘𝔫𝔦𝔠𝔬', 4, '𝔘𝔫𝔦…'],
    ['𝔘 𝔫 𝔦 𝔠', 5, '𝔘 𝔫 …'],
    [`a${' '.repeat(1000)}b`, 3, 'a b'],
  ])('of %j in %i characters is %j', (text, length, expected) => {
    expect(preview(text, length)).toBe(expected);
  });
});

it.each([
  [0, '0'],
  [9_999, '9,999'],
  [10_000, '10k'],
  [35_400, '35k'],
  [1_234_567, '1.2M'],
  [12_345_678, '12M'],
  [3_400_000_000, '3.4B'],
])('writes %i as %s', (count, text) => expect(countText(count)).toBe(text));

it('groups counts as English does', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (count) => {
      expect(grouped(count)).toBe(count.toLocaleString('en-US'));
    }),
  );
  expect(grouped(1234.5)).toBe('1,235');
});

it.each([
  [40_000, '40 s'],
  [89_000, '89 s'],
  [720_000, '12 min'],
  [11_100_000, '3 h 5 min'],
  [353_000_000, '4 d 2 h'],
])('writes %i ms as %s', (ms, text) => expect(duration(ms)).toBe(text));

it.each([
  [850, '850 ms'],
  [9_940, '9.9 s'],
  [99_600, '1 min 40 s'],
  [119_700, '2 min 0 s'],
])('writes the %i ms of a call as %s', (ms, text) => expect(shortDuration(ms)).toBe(text));

describe('text that is shown', () => {
  it.each([
    ['user\u202Egnp.exe', 'user[U+202E]gnp.exe'],
    ['a\u2066b\u2069c\u200Fd', 'a[U+2066]b[U+2069]c[U+200F]d'],
    ['bell\u0007, nul\u0000', 'bell[U+0007], nul[U+0000]'],
  ])('shows what would reorder or hide a part of %j', (text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it('stays unchanged in any language, with its lines and tabs', () => {
    const text = 'שלום\tعالم\r\n日本語 é 🙂';
    expect(visibleText(text)).toBe(text);
  });
});
