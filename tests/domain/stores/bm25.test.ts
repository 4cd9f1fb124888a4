import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readFileSync } from 'node:fs';
import {
  bm25Encoder,
  bm25Schema,
  newCorpus,
  englishTerms,
  type Bm25,
  type SparseVector,
} from '../../../domain/stores/bm25.js';

function fitted(documents: readonly string[]): Bm25 {
  const corpus = newCorpus();
  for (const document of documents) corpus.add(document);
  return corpus.fit();
}

const innerProduct = (a: SparseVector, b: SparseVector): number =>
  [...a].reduce((sum, [dimension, weight]) => sum + weight * (b.get(dimension) ?? 0), 0);

describe('BM25', () => {
  const documents = ['red red fox', 'red hen', 'blue hen egg', 'blue egg cup jam'];
  const model = fitted(documents);
  const { document, query } = bm25Encoder(model);
  const score = (text: string, question: string): number =>
    innerProduct(document(text), query(question));

  it('scores a worked example as computed by hand', () => {
    // N = 4, avgdl = 12/4 = 3. fox, cup, jam: df 1, idf = ln(3.5/1.5). red, hen, blue, egg: df 2, ln(2.5/2.5) = 0.
    const idf = Math.log(3.5 / 1.5);
    expect(model).toMatchObject({ corpus_size: 4, avgdl: 3, k1: 1.5, b: 0.75, epsilon: 0.25 });
    expect(model.idf_value[model.idf_word.indexOf('fox')]).toBeCloseTo(0.8473, 4);
    expect(model.idf_value[model.idf_word.indexOf('red')]).toBe(0);
    // A document of 3 terms: fox, tf 1: 2.5 / (1 + 1.5 · (0.25 + 0.75 · 3/3)) = 1; red, tf 2: 2 · 2.5 / (2 + 1.5) = 10/7.
    expect([...document('red red fox').values()]).toEqual([10 / 7, 1]);
    expect(score('red red fox', 'a red fox')).toBeCloseTo(idf, 12);
    // cup: tf 1, document of 4 terms: 2.5 / (1 + 1.5 · (0.25 + 0.75 · 4/3)) = 2.5 / 2.875.
    expect(score('blue egg cup jam', 'cup')).toBeCloseTo((idf * 2.5) / 2.875, 12);
  });

  it('counts a term of the query as often as it occurs', () => {
    expect(score('red red fox', 'fox, fox')).toBeCloseTo(2 * score('red red fox', 'fox'), 12);
  });

  it('gives a term of most documents a share of the mean weight', () => {
    // ant: df 3 of 4, negative; mean of {ant, bee, cow, dog, elk}.
    const common = fitted(['ant bee', 'ant cow', 'ant dog', 'elk']);
    const rare = Math.log(3.5 / 1.5);
    const mean = (Math.log(1.5 / 3.5) + 4 * rare) / 5;
    expect(common.idf_value[common.idf_word.indexOf('ant')]).toBeCloseTo(0.25 * mean, 12);
  });

  it('keeps the share also where the mean is negative', () => {
    expect(fitted(['ant bee', 'ant bee']).idf_value).toEqual(
      [0, 1].map(() => 0.25 * (Math.log(0.5) - Math.log(2.5))),
    );
  });

  describe('in a corpus of one page', () => {
    const lone = bm25Encoder(fitted(['a lone page']));

    it('scores as the formula does, which is below 0', () => {
      const idf = 0.25 * (Math.log(0.5) - Math.log(1.5));
      expect([...lone.query('page').values()]).toEqual([idf]);
    });

    it('searches by the number of occurrences, so that something is found', () => {
      expect([...lone.search('page, lone page').values()]).toEqual([2, 1]);
    });
  });

  it('searches with the exact weights that are positive', () => {
    const { search } = bm25Encoder(model);
    expect(search('fox fox cup')).toEqual(query('fox fox cup'));
    expect([...query('a red fox').values()]).toEqual([0, Math.log(3.5) - Math.log(1.5)]);
    expect([...search('a red fox').values()]).toEqual([Math.log(3.5) - Math.log(1.5)]);
  });

  it('knows no term that the corpus has not', () => {
    expect(query('zebra').size).toBe(0);
    expect(document('').size).toBe(0);
  });

  it('is the same after a round trip through its file', () => {
    const read = bm25Schema.parse(JSON.parse(JSON.stringify(model)));
    expect(bm25Encoder(read).document('red hen')).toEqual(document('red hen'));
  });

  it('refuses a file whose words and values do not pair', () => {
    expect(bm25Schema.safeParse({ ...model, idf_value: [1] }).success).toBe(false);
  });
});

describe('the analyzer and BM25 of the reference', () => {
  const recorded = z
    .object({
      documents: z.array(z.string()),
      terms: z.array(z.array(z.string())),
      file: bm25Schema,
      queries: z.array(z.string()),
      /** Of each query and document. The reference computes them in 32 bits. */
      scores: z.array(z.array(z.number())),
    })
    .parse(JSON.parse(readFileSync('tests/fixtures/bm25.json', 'utf8')));
  const { documents, file } = recorded;

  it('find the same terms', () => {
    expect(documents.map(englishTerms)).toEqual(recorded.terms);
  });

  it('fit the same file', () => {
    const model = fitted(documents);
    expect({ ...model, idf_value: [] }).toEqual({ ...file, idf_value: [] });
    for (const [index, value] of file.idf_value.entries()) {
      expect(model.idf_value[index]).toBeCloseTo(value, 12);
    }
  });

  it('score the same, with their file', () => {
    const { document, query } = bm25Encoder(file);
    const scores = recorded.queries.map((asked) =>
      documents.map((text) => innerProduct(document(text), query(asked))),
    );
    for (const [row, expected] of recorded.scores.entries()) {
      for (const [column, score] of expected.entries()) {
        expect(scores[row]?.[column]).toBeCloseTo(score, 5);
      }
    }
  });

  it('follow the formula, computed anew for every document and query', () => {
    const model = fitted(documents);
    const { document, query } = bm25Encoder(model);
    const tokens = documents.map(englishTerms);
    const mean = tokens.flat().length / tokens.length;
    const frequency = (term: string) => tokens.filter((words) => words.includes(term)).length;
    const raw = (term: string) =>
      Math.log(tokens.length - frequency(term) + 0.5) - Math.log(frequency(term) + 0.5);
    const vocabulary = [...new Set(tokens.flat())];
    const share = (0.25 * vocabulary.reduce((sum, term) => sum + raw(term), 0)) / vocabulary.length;
    for (const asked of recorded.queries) {
      const terms = englishTerms(asked).filter((term) => vocabulary.includes(term));
      for (const [index, words] of tokens.entries()) {
        const score = terms.reduce((sum, term) => {
          const count = words.filter((word) => word === term).length;
          const weight = (count * 2.5) / (count + 1.5 * (0.25 + (0.75 * words.length) / mean));
          return sum + weight * (raw(term) < 0 ? share : raw(term));
        }, 0);
        expect(innerProduct(document(documents[index] ?? ''), query(asked))).toBeCloseTo(score, 12);
      }
    }
  });
});

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
