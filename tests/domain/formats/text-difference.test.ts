import { describe, expect, it } from 'vitest';
import { textDifference } from '../../../domain/formats/text-difference.js';

const words = (before: string, after: string): string =>
  textDifference(before, after)
    .map(({ kind, text }) => ({ same: text, added: `[+${text}]`, removed: `[-${text}]` })[kind])
    .join('');

describe('the difference of two texts', () => {
  it.each([
    ['', '', ''],
    ['one two', 'one two', 'one two'],
    ['', 'one', '[+one]'],
    ['one', '', '[-one]'],
    ['one two three', 'one three', 'one [-two ]three'],
    ['a b c d', 'a x c y d', 'a [-b ][+x ]c [+y ]d'],
    ['  led by', 'led by', '[-  ]led by'],
  ])('of %j and %j marks the words that differ', (before, after, marked) => {
    expect(words(before, after)).toBe(marked);
  });

  it('gives both texts back', () => {
    const [before, after] = ['the cat sat\non the  mat ', 'a cat sat on\nthe red mat'];
    const pieces = textDifference(before, after);
    const of = (left: string): string =>
      pieces.flatMap(({ kind, text }) => (kind === left ? [] : [text])).join('');
    expect([of('added'), of('removed')]).toEqual([before, after]);
  });

  it('takes long texts that have nothing in common as a whole', () => {
    const text = (word: string): string => Array.from({ length: 3000 }, () => word).join(' ');
    expect(textDifference(text('a'), text('b')).map(({ kind }) => kind)).toEqual([
      'removed',
      'added',
    ]);
  });
});
