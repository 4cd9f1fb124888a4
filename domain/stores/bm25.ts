import { newStemmer } from 'snowball-stemmers';
import { z } from 'zod';

const lists = [
  'a an the this that these those',
  'i me my mine myself we us our ours ourselves you your yours yourself yourselves',
  'he him his himself she her hers herself it its itself they them their theirs themselves',
  'am is are was were be been being have has had having do does did doing done',
  'can could shall should will would may might must',
  'and or but nor if then else than so because while although though',
  'of at by for with about against between into through during before after above below to from up down in out on off over under again further',
  'what which who whom whose when where why how',
  'all any both each few more most other some such no not only own same too very just there here once also',
  "isn't aren't wasn't weren't haven't hasn't hadn't don't doesn't didn't can't couldn't shouldn't won't wouldn't mustn't",
  "i'm i've i'll i'd you're you've you'll you'd he's he'll he'd she's she'll she'd it's it'll we're we've we'll we'd they're they've they'll they'd that's there's",
];

/** English words too common to tell texts apart, in lower case. */
const englishStopWords: ReadonlySet<string> = new Set(lists.flatMap((list) => list.split(' ')));

const stemmer = newStemmer('english');
/** A word, with parts after an apostrophe. A hyphen or a point separates words. */
const word = /[\p{L}\p{M}\p{N}]+(?:'\p{L}+)*/gu;

/**
 * The terms of an English text in order: lower-cased, without punctuation and stop words, stemmed by Porter2. Ligatures and
 * full-width letters, which are common in PDFs, become plain letters.
 */
export function analyzeText(text: string): readonly string[] {
  const plain = text.normalize('NFKC').replaceAll('’', "'").toLowerCase();
  return (plain.match(word) ?? [])
    .filter((token) => !englishStopWords.has(token))
    .map((token) => stemmer.stem(token));
}

/** `bm25.GENERATION.json` of a store, in the file format of the reference system. */
export const bm25Schema = z.object({
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
});
export type Bm25 = Readonly<z.infer<typeof bm25Schema>>;

const parameters = { k1: 1.5, b: 0.75, epsilon: 0.25 };

/** Weights by dimension. Empty when a text shares no term with the corpus. */
export type SparseVector = ReadonlyMap<number, number>;

/** Collects the statistics of a corpus. */
interface Corpus {
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
 * Inverse document frequencies. A term in half of the documents or more would have a weight of 0 or less; it gets a share of
 * the mean instead. (The reference system keeps the 0. In a store of two pages, no word would then find anything.)
 */
function inverseFrequencies(
  size: number,
  documentFrequencies: readonly number[],
): readonly number[] {
  const raw = documentFrequencies.map((df) => Math.log(size - df + 0.5) - Math.log(df + 0.5));
  const mean = raw.reduce((sum, idf) => sum + idf, 0) / Math.max(1, raw.length);
  // In a corpus of a few pages the mean itself may not be positive.
  const floor = parameters.epsilon * (mean > 0 ? mean : 1);
  return raw.map((idf) => (idf <= 0 ? floor : idf));
}

export interface Bm25Encoder {
  readonly document: (text: string) => SparseVector;
  readonly query: (text: string) => SparseVector;
}

/** Encodes texts so that the inner product of a document and a query is the BM25 score of the document. */
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
