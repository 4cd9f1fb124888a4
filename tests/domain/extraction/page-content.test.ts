import { describe, expect, it } from 'vitest';
import { whyUnusable } from '../../../domain/extraction/page-content.js';
import { lineOf } from '../../support/extraction/pdf-content.js';

const mapped = { unknown: 0, unmapped: 0 };
const reason = 'its fonts map many glyphs to wrong characters or to none';

describe('a text layer', () => {
  it('is usable when it reads as text, also with a few symbols', () => {
    expect(whyUnusable([lineOf('A plain sentence about ponds \uF0B7.')], mapped)).toBeNull();
  });

  it.each([
    ['dingbats, as fonts with numbered glyph names are read', 'P❡♥❛❧✐③❡❞ ❧❡❛st sq✉❛r❡s ✈❡rs✉s'],
    ['characters for private use', '\uF041\uF042\uF043 and some words of \uF044\uF045\uF046\uF047'],
    [
      'replacement characters',
      '\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD a few words more',
    ],
  ])('is unusable with %s', (_, text) => {
    expect(whyUnusable([lineOf(text)], mapped)).toBe(reason);
  });

  it('is unusable when many of its glyphs have no character', () => {
    const lines = [lineOf('Some words remain on the page')];
    expect(whyUnusable(lines, { unknown: 5, unmapped: 0 })).toBeNull();
    expect(whyUnusable(lines, { unknown: 5, unmapped: 29 })).toBe(reason);
    expect(whyUnusable(lines, { unknown: 30, unmapped: 0 })).toBe(reason);
  });

  it('is not judged by the label of a picture', () => {
    expect(whyUnusable([lineOf('\uF041\uF042')], mapped)).toBeNull();
  });
});
