import { z } from 'zod';
import { countsOf } from '../statistics/means.js';
import { englishTerms } from './english-terms.js';

/** `bm25.GENERATION.json` of a store, in the file format of the reference system. */
export const bm25Schema = z
  .object({
    version: z.literal('v1'),
    corpus_size: z.int().nonnegative(),
    /** Mean number of terms of a document. */
    avgdl: z.number(),
    /** The index of a term, here and in `idf_value`, is its dimension in the vectors. */
    idf_word: z.array(z.string()),
    idf_value: z.array(z.number()),
    k1: z.number(),
    b: z.number(),
    epsilon: z.number(),
  })
  .refine(({ idf_word, idf_value }) => idf_word.length === idf_value.length);
export type Bm25 = Readonly<z.infer<typeof bm25Schema>>;

const parameters = { k1: 1.5, b: 0.75, epsilon: 0.25 };

/** Weights by dimension. Empty when a text shares no term with the corpus. */
export type SparseVector = ReadonlyMap<number, number>;

/** Collects the statistics of a corpus. */
export interface Corpus {
  readonly add: (document: string) => void;
  readonly fit: () => Bm25;
}

/** An empty corpus. In a corpus of papers, each page is a document. */
export function newCorpus(): Corpus {
  const frequencies = new Map<string, number>();
  let size = 0;
  let terms = 0;
  return {
    add: (document) => {
      const tokens = englishTerms(document);
      size += 1;
      terms += tokens.length;
      for (const term of new Set(tokens)) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
    },
    fit: () => ({
      version: 'v1',
      corpus_size: size,
      avgdl: size === 0 ? 0 : terms / size,
      idf_word: [...frequencies.keys()],
      idf_value: [...inverseFrequencies(size, [...frequencies.values()])],
      ...parameters,
    }),
  };
}

/**
 * Inverse document frequencies. A negative one, of a term in more than half of the documents, becomes `epsilon` of the mean of
 * all. In a corpus of a page or two that mean may be negative too, and a term in exactly half of the documents weighs 0:
 * `Bm25Encoder.search` says how such terms are found nevertheless.
 */
function inverseFrequencies(
  size: number,
  documentFrequencies: readonly number[],
): readonly number[] {
  const raw = documentFrequencies.map((df) => Math.log(size - df + 0.5) - Math.log(df + 0.5));
  const mean = raw.reduce((sum, idf) => sum + idf, 0) / Math.max(1, raw.length);
  return raw.map((idf) => (idf < 0 ? parameters.epsilon * mean : idf));
}

export interface Bm25Encoder {
  readonly document: (text: string) => SparseVector;
  readonly query: (text: string) => SparseVector;
  /**
   * The weights to search with: the positive ones of `query` or, where there is none, how often each term occurs. Milvus takes
   * no negative weight, and finds no text that scores 0. Only in a store of a few pages are weights 0 or less, where most terms
   * are on half of the pages or more; the texts found there are still those that share terms with the query.
   */
  readonly search: (text: string) => SparseVector;
}

/** Encodes texts so that the inner product of a document and a query is the BM25 score of the document. */
export function bm25Encoder(model: Bm25): Bm25Encoder {
  const dimensions = new Map(model.idf_word.map((term, index) => [term, index]));
  const { k1, b, avgdl } = model;
  const query = (text: string): SparseVector =>
    weigh(englishTerms(text), (count, dimension) => count * (model.idf_value[dimension] ?? 0));
  return {
    document: (text) => {
      const tokens = englishTerms(text);
      const lengthFactor = k1 * (1 - b + (b * tokens.length) / avgdl);
      return weigh(tokens, (count) => (count * (k1 + 1)) / (count + lengthFactor));
    },
    query,
    search: (text) => {
      const positive = [...query(text)].filter(([, weight]) => weight > 0);
      return positive.length > 0 ? new Map(positive) : weigh(englishTerms(text), (count) => count);
    },
  };

  function weigh(
    tokens: readonly string[],
    weight: (count: number, dimension: number) => number,
  ): SparseVector {
    const counts = countsOf(tokens.flatMap((token) => dimensions.get(token) ?? []));
    return new Map([...counts].map(([dimension, count]) => [dimension, weight(count, dimension)]));
  }
}
