import { describe, expect, it } from 'vitest';
import {
  analyzeText,
  bm25Encoder,
  bm25Schema,
  newCorpus,
  type Bm25,
  type SparseVector,
} from '../../../domain/stores/bm25.js';

describe('terms of a text', () => {
  // Pairs from the sample vocabulary of the English (Porter2) stemmer at snowballstem.org.
  it.each([
    ['consign', 'consign'],
    ['consigned', 'consign'],
    ['consisted', 'consist'],
    ['consistency', 'consist'],
    ['consolation', 'consol'],
    ['consolatory', 'consolatori'],
    ['conspicuously', 'conspicu'],
    ['conspiracy', 'conspiraci'],
    ['knack', 'knack'],
    ['knaves', 'knave'],
    ['kneeling', 'kneel'],
    ['knightly', 'knight'],
    ['knotty', 'knotti'],
  ])('stems %s to %s', (word, stem) => {
    expect(analyzeText(word)).toEqual([stem]);
  });

  it.each([
    ['punctuation and case', 'Ovens, (OVENS); "ovens"!', ['oven', 'oven', 'oven']],
    ['stop words', 'The oven is not in the house', ['oven', 'hous']],
    ['ligatures and full-width digits', 'ﬁt １２', ['fit', '12']],
    ['both apostrophes', "don't, the baker’s", ['baker']],
    ['hyphens', 'state-of-the-art', ['state', 'art']],
  ])('knows %s', (_, text, terms) => {
    expect(analyzeText(text)).toEqual(terms);
  });
});

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
    // N = 4, avgdl = 12/4 = 3. fox, cup, jam: df 1, idf = ln(3.5/1.5). red, hen, blue, egg: df 2, ln(2.5/2.5) = 0,
    // so a quarter of the mean over the seven terms.
    const idf = Math.log(3.5 / 1.5);
    const floor = (0.25 * 3 * idf) / 7;
    expect(model).toMatchObject({ corpus_size: 4, avgdl: 3, k1: 1.5, b: 0.75, epsilon: 0.25 });
    // A document of 3 terms: fox, tf 1: 2.5 / (1 + 1.5 · (0.25 + 0.75 · 3/3)) = 1; red, tf 2: 2 · 2.5 / (2 + 1.5).
    expect(score('red red fox', 'a red fox')).toBeCloseTo(idf * 1 + (floor * 5) / 3.5, 12);
    // cup: tf 1, document of 4 terms: 2.5 / (1 + 1.5 · (0.25 + 0.75 · 4/3)) = 2.5 / 2.875.
    expect(score('blue egg cup jam', 'cup')).toBeCloseTo((idf * 2.5) / 2.875, 12);
  });

  it('counts a term of the query as often as it occurs', () => {
    expect(score('red red fox', 'fox, fox')).toBeCloseTo(2 * score('red red fox', 'fox'), 12);
  });

  it('gives a term of most documents a share of the mean weight', () => {
    // a: df 3 of 4, negative; mean of {a, b, c, d}.
    const common = fitted(['ant bee', 'ant cow', 'ant dog', 'elk']);
    const rare = Math.log(3.5 / 1.5);
    const mean = (Math.log(1.5 / 3.5) + 4 * rare) / 5;
    expect(common.idf_value[common.idf_word.indexOf('ant')]).toBeCloseTo(0.25 * mean, 12);
  });

  it('lets a match count for a text even in a corpus of one page', () => {
    const { document: text, query: question } = bm25Encoder(fitted(['a lone page']));
    expect(innerProduct(text('a lone page'), question('page'))).toBeGreaterThan(0);
  });

  it('knows no term that the corpus has not', () => {
    expect(query('zebra').size).toBe(0);
    expect(document('').size).toBe(0);
  });

  it('is the same after a round trip through its file', () => {
    const read = bm25Schema.parse(JSON.parse(JSON.stringify(model)));
    expect(bm25Encoder(read).document('red hen')).toEqual(document('red hen'));
  });
});
