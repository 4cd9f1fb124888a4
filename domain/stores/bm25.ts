import { z } from 'zod';
import { analyzeText } from './analyze-text.js';

/** `bm25.GENERATION.json` of a store, in the reference's layout (hybrid-agent.md §7.4). */
export const bm25Schema = z.object({
  version: z.literal('v1'),
  corpus_size: z.int().nonnegative(),
  /** Mean number of terms of a document. */
  avgdl: z.number(),
  /** A term's place here and in `idf_value` is its dimension in the vectors. */
  idf_word: z.array(z.string()),
  idf_value: z.array(z.number()),
  k1: z.number(),
  b: z.number(),
  epsilon: z.number(),
});
export type Bm25 = Readonly<z.infer<typeof bm25Schema>>;

const parameters = { k1: 1.5, b: 0.75, epsilon: 0.25 };

/** Weights by dimension. Empty where a text shares no term with the corpus. */
export type SparseVector = ReadonlyMap<number, number>;

/** What a corpus has been seen to contain so far. */
export interface Corpus {
  readonly add: (document: string) => void;
  readonly fit: () => Bm25;
}

/** Collects document frequencies; a corpus of papers has one document per page. */
export function newCorpus(): Corpus {
  const frequencies = new Map<string, number>();
  let size = 0;
  let terms = 0;
  return {
    add: (document) => {
      const tokens = analyzeText(document);
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
 * A term of half the documents would count for nothing, and one of more than half against a text: both get a share
 * of the mean. (The reference leaves the zero, by which a store of two pages is found by no word at all.)
 */
function inverseFrequencies(
  size: number,
  documentFrequencies: readonly number[],
): readonly number[] {
  const raw = documentFrequencies.map((df) => Math.log(size - df + 0.5) - Math.log(df + 0.5));
  const mean = raw.reduce((sum, idf) => sum + idf, 0) / Math.max(1, raw.length);
  // In a corpus of a few pages the mean itself is not positive, and no match would raise the score.
  const floor = parameters.epsilon * (mean > 0 ? mean : 1);
  return raw.map((idf) => (idf <= 0 ? floor : idf));
}

export interface Bm25Encoder {
  readonly document: (text: string) => SparseVector;
  readonly query: (text: string) => SparseVector;
}

/** Encodes so that the inner product of a document and a query is the document's BM25 score for it. */
export function bm25Encoder(model: Bm25): Bm25Encoder {
  const dimensions = new Map(model.idf_word.map((term, index) => [term, index]));
  const { k1, b, avgdl } = model;
  return {
    document: (text) => {
      const tokens = analyzeText(text);
      const lengthFactor = k1 * (1 - b + (b * tokens.length) / avgdl);
      return weigh(tokens, (count) => (count * (k1 + 1)) / (count + lengthFactor));
    },
    query: (text) =>
      weigh(analyzeText(text), (count, dimension) => count * (model.idf_value[dimension] ?? 0)),
  };

  function weigh(
    tokens: readonly string[],
    weight: (count: number, dimension: number) => number,
  ): SparseVector {
    const counts = new Map<number, number>();
    for (const token of tokens) {
      const dimension = dimensions.get(token);
      if (dimension !== undefined) counts.set(dimension, (counts.get(dimension) ?? 0) + 1);
    }
    return new Map([...counts].map(([dimension, count]) => [dimension, weight(count, dimension)]));
  }
}
