import { describe, expect, it } from 'vitest';
import { preview } from '../../domain/preview.js';

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
