// cspell:ignore bour formance surements
import fc from '../../support/arbitrary/fast-check.js';
import { describe, expect, it } from 'vitest';
import { extractPaper } from '../../../domain/extraction/extract-paper.js';
import { chunkText } from '../../../domain/extraction/text.js';
import { contentOf, pageOf } from '../../support/extraction/pdf-content.js';

describe('cutting a text into passages', () => {
  it.each<[string, string, number, readonly string[]]>([
    ['keeps what fits', 'one two', 20, ['one two']],
    ['cuts at lines before it cuts at words', 'aa bb\ncc dd\nee', 11, ['aa bb\ncc dd', 'ee']],
    ['cuts at blank lines before it cuts at lines', 'a\nb\n\nc\nd', 5, ['a\nb', 'c\nd']],
    ['cuts a long line at words', 'alpha beta gamma', 11, ['alpha beta', 'gamma']],
    ['cuts a long word anywhere', 'abcdefgh', 3, ['abc', 'def', 'gh']],
    [
      'cuts only the piece that is too long, its separator counted',
      'ab\nabcdefgh\ncd',
      4,
      ['ab', 'abc', 'defg', 'h', 'cd'],
    ],
    ['counts characters, not halves of them', '😀😀😀😀', 2, ['😀😀', '😀😀']],
    ['gives nothing for blank text', ' \n\n ', 5, []],
  ])('%s', (_, text, limit, passages) => {
    expect(chunkText(text, limit)).toEqual(passages);
  });

  it('loses nothing but white space, and exceeds the limit nowhere', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'é', '😀', ' ', '\n', '\n\n') });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), (text, limit) => {
        const passages = chunkText(text, limit);
        expect(passages.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
        for (const passage of passages) {
          expect(passage).toBe(passage.trim());
          expect(Array.from(passage).length).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });
});

const other = 'The state of the harbour and its art need a memory.';

it.each([
  ['answers to Open', 'Domain questions', 'answers to Open-Domain'],
  ['a state-of-the', 'art sensor', 'a state-of-the-art'],
  ['a state-of', 'the-art sensor', 'a state-of-the-art'],
  ['a state', 'of-the-art sensor', 'a state-of-the-art'],
  ['a self', 'calibrating clock', 'a self-calibrating'],
  ['the t', 'test of means', 'the t-test'],
  ['asked GPT', '4 for help', 'asked GPT-4'],
  ['an RNA', 'based method', 'an RNA-based'],
  ['the har', 'bour office', 'the harbour'],
  ['a long-mem', 'ory process', 'a long-memory'],
  ['a high-per', 'formance clock', 'a high-performance'],
  ['an OVER', 'VIEW of it', 'an OVERVIEW'],
  ['the mea', 'surements of it', 'the measurements'],
])('joins "%s-" and "%s"', (stem, rest, joined) => {
  const { pages } = extractPaper(contentOf([[`${stem}\u00AD`, rest, other]]));
  expect(pages[0]?.text.split('\n')[0]).toBe(joined);
});

it('joins a range of numbers that a line breaks', () => {
  const { pages } = extractPaper(
    contentOf([['The log has pages 12–', '15 of it and section 4-', 'with notes']]),
  );
  expect(pages[0]?.text).toBe('The log has pages 12–15\nof it and section 4-\nwith notes');
});

it('leaves out the text of a page whose characters are wrong', () => {
  const broken = pageOf(['❆❜str❛❝t ♦❢ t❤❡'], { unusable: 'its glyphs are wrong' });
  const { pages, chunks } = extractPaper(contentOf([broken, ['We bake bread.']]));
  expect(pages.map(({ text, unusable }) => [text, unusable])).toEqual([
    ['', 'its glyphs are wrong'],
    ['We bake bread.', null],
  ]);
  expect(chunks).toEqual([{ page: 2, section: null, text: 'We bake bread.' }]);
});
