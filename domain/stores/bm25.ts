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
/** A word with what an apostrophe holds to it; numbers and words joined by hyphens count as several. */
const word = /[\p{L}\p{M}\p{N}]+(?:'\p{L}+)*/gu;

/**
 * The terms of an English text in order: lower case, without punctuation and stop words, stemmed by Porter2.
 * Ligatures and full-width letters, which PDFs are full of, count as the letters they stand for.
 */
export function analyzeText(text: string): readonly string[] {
  const plain = text.normalize('NFKC').replaceAll('’', "'").toLowerCase();
  return (plain.match(word) ?? [])
    .filter((token) => !englishStopWords.has(token))
    .map((token) => stemmer.stem(token));
}

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
