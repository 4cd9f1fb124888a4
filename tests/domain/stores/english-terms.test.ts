import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { englishTerms } from '../../../domain/stores/english-terms.js';

const { stems } = z
  .object({ stems: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync('tests/fixtures/porter2.json', 'utf8')));

describe('terms of an English text', () => {
  it('are stems as published for Porter2', () => {
    const words = Object.keys(stems);
    expect(words.length).toBeGreaterThan(80);
    expect(Object.fromEntries(words.map((word) => [word, englishTerms(word).join(' ')]))).toEqual(
      stems,
    );
  });

  it.each([
    ['case and single punctuation', 'Ovens, (OVENS); ovens!', ['oven', 'oven', 'oven']],
    ['stop words', 'The oven is not in the house', ['oven', 'hous']],
    ['ligatures and full-width digits', 'ﬁt １２', ['fit', '12']],
    ['words with a hyphen as one', 'state-of-the-art', ['state-of-the-art']],
    ['numbers', '3,36 and 3:15, 4.5%', ['3,36', '3:15', '4.5']],
    ['contractions', "don't, the baker's; I cannot", ["n't", 'baker', "'s"]],
    [
      'quotes that open and close',
      'a "night" (or "day")',
      ['``', 'night', "''", '``', 'day', "''"],
    ],
    ['single quotes', "the bakers' 'x' 'sour'", ['baker', 'x', 'sour']],
    ['typographic quotes', 'baker’s “oven”', ['baker', '’', '“', 'oven', '”']],
    ['dashes and dots', 'gas -- and so on...', ['gas', '--', '...']],
    ['old contractions', "d'ye gimme more'n that", ['ye', 'gim', "'n"]],
    ['operators of programs', 'stats::sd and x:5', ['stat', ':sd', 'x:5']],
  ])('are those of the reference for %s', (_, text, terms) => {
    expect(englishTerms(text)).toEqual(terms);
  });

  it.each([
    ['splits the last period', 'It bakes.', ['bake']],
    ['splits the last period within brackets', '(It bakes.)', ['bake']],
    ['splits a period between sentences', 'It bakes. Bread rises.', ['bake', 'bread', 'rise']],
    ['splits the period of a number before a capital', 'in 1999. Bread', ['1999', 'bread']],
    ['keeps that of a number before a small letter', 'fig. 2. shows', ['fig', '2.', 'show']],
    ['keeps that of a title and an initial', 'Dr. J. Marsh', ['dr.', 'j.', 'marsh']],
    [
      'splits that of an initial before a sentence',
      'vitamin C. The oven',
      ['vitamin', 'c', 'oven'],
    ],
  ])('%s', (_, text, terms) => {
    expect(englishTerms(text)).toEqual(terms);
  });
});
