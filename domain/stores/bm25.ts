import { newStemmer } from 'snowball-stemmers';
import { z } from 'zod';
import { countsOf } from '../statistics/means.js';

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

const lists = [
  'a an the this that these those and but or nor if because as while until than so',
  'i me my myself we our ours ourselves you your yours yourself yourselves',
  'he him his himself she her hers herself it its itself they them their theirs themselves',
  'am is are was were be been being have has had having do does did doing can will should just',
  'of at by for with about against between into through during before after above below',
  'to from up down in out on off over under again further then once here there now',
  'what which who whom when where why how',
  'all any both each few more most other some such no not only own same too very',
];
/** What is left of contractions with a typographic apostrophe, such as `don’t`: the verb with n, and the rest. */
const contracted =
  'ai are could did do does had has have is might must need sha should was were wo would';
const rests = 's t d m o y ll re ve ma';

/**
 * The stop words of NLTK's English list, which the vocabulary of the reference system is made with. Words with an apostrophe
 * are missing: the tokenizer has split them before.
 */
const stopWords: ReadonlySet<string> = new Set([
  ...[...lists, rests].flatMap((words) => words.split(' ')),
  ...contracted.split(' ').map((verb) => `${verb}n`),
]);

const stemmer = newStemmer('english');

/** Texts that are remembered with what becomes of them: those of papers are few, and their analysis takes long. */
const [rememberedTexts, longestRemembered] = [50_000, 40];

function remembering<Result>(analyse: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    if (results.size >= rememberedTexts) results.clear();
    const found = analyse(text);
    if (text.length <= longestRemembered) results.set(text, found);
    return found;
  };
}

const stem = remembering((word) => (word.length > 2 ? stemmer.stem(word) : word));

/**
 * The terms of an English text in order, as the reference system's analyzer `en` makes them: words and signs by the rules of
 * the Penn Treebank, as NLTK applies them, in lower case, without stop words and single ASCII punctuation marks, stemmed by
 * Porter2. Before that, ligatures and full-width letters, which come from PDFs and are in no query, become plain letters.
 *
 * `don't` becomes `do` and `n't`, a word with a hyphen stays whole, and only the period that ends a sentence is split from its
 * word. NLTK has learnt from newspapers which period that is; here it is every one that does not follow a common abbreviation
 * or an initial.
 */
export function englishTerms(text: string): readonly string[] {
  const plain = text.replaceAll(/[ﬀ-ﬆ！-～]/gu, (sign) => sign.normalize('NFKC'));
  const terms: string[] = [];
  const blobs = plain.match(/\S+/gu) ?? [];
  let at = 0;
  for (const [index, blob] of blobs.entries()) {
    at = plain.indexOf(blob, at);
    const termsHere = at === 0 || plain[at - 1] === ' ' ? termsAfterSpace : termsWithin;
    at += blob.length;
    const [, head = '', period, rest = ''] =
      (blob.includes('.') ? upToPeriod.exec(blob) : null) ?? [];
    if (period !== undefined && endsSentence(head, rest, blobs[index + 1])) {
      terms.push(...termsHere(head), ...termsWithin(rest)); // The period is no term.
    } else terms.push(...termsHere(blob));
  }
  return terms;
}

/** Of a text without white space. A quote at its beginning opens a quotation. */
const termsAfterSpace = remembering((text) => termsOf(tokensOf(text, true)));
/** The same where a quote at the beginning closes one. */
const termsWithin = remembering((text) => termsOf(tokensOf(text, false)));

const termsOf = (tokens: readonly string[]): readonly string[] =>
  tokens
    .map((token) => token.toLowerCase())
    .filter((token) => !/^[!-/:-@[-`{-~]$/.test(token) && !stopWords.has(token))
    .map(stem);

/** Up to a period that may end a sentence: the last of its word, before white space, a bracket, a quote or a colon. */
const upToPeriod = /^(.*?[^.])??(\.)(?=[\])}>"'»”’;:*@([{?!]|$)(.*)$/su;

/** Before whose period a sentence does not end, unless a common word with a capital follows. */
const abbreviations: ReadonlySet<string> = new Set(
  'mr mrs ms messrs dr prof st jr sr rep sen gen col lt maj adm vs inc ltd co corp bros ph.d a.m p.m u.s u.k u.n n.y d.c jan feb aug sept sep oct nov dec'.split(
    ' ',
  ),
);

/** @param before - what stands before the period, without white space; `rest` stands after it */
function endsSentence(before: string, rest: string, next: string | undefined): boolean {
  if (next === undefined) return true;
  const [word = ''] = /[\p{L}\p{N}.]+$/u.exec(before.toLowerCase()) ?? [];
  const follows = rest === '' ? next : rest;
  if (/^\p{N}+$/u.test(word)) return !/^\p{Ll}/u.test(follows);
  if (!/^\p{L}$/u.test(word) && !abbreviations.has(word)) return true;
  return /^\p{Lu}/u.test(follows) && stopWords.has(follows.toLowerCase());
}

/** Signs that are tokens by themselves wherever they stand, and the words between them. */
const piece =
  /\.{2,}|--|''|`+|[;@#$%&?!*()[\]{}<>«»“”‘’„"]|(?:(?<=(?<![:,])[:,])[:,](?=[^\s:,]))?(?:[^\s;@#$%&?!*()[\]{}<>«»“”‘’„"`:,.'-]|\.(?!\.)|-(?!-)|'(?!')|[:,](?=\d))+|[:,]/gu;

/** @param opens - whether a quote at the beginning opens a quotation */
function tokensOf(blob: string, opens: boolean): readonly string[] {
  return [...blob.matchAll(piece)].flatMap(({ 0: found, index }) => {
    if (found !== '"' && found !== "''") return clitics(found);
    const before = blob[index - 1];
    return [(before === undefined ? opens : '([{<'.includes(before)) ? '``' : "''"];
  });
}

const clitic = /(?<=[^'])('(?:s|m|d|ll|re|ve|S|M|D|LL|RE|VE)?|n't|N'T)$/u;

/** Words that are two tokens: cannot, gonna, wanna, gotta, gimme, lemme, d'ye, more'n, 'tis and 'twas. */
const joined =
  /\b(?:can(?=not\b)|(?:gon|wan)(?=na\b)|got(?=ta\b)|(?:gim|lem)(?=me\b)|d(?='ye\b)|more(?='n\b))|^'t(?=(?:is|was)\b)/giu;

/** Splits `it's`, `don't`, `dogs'`, `cannot` and the like. */
const clitics = (word: string): readonly string[] =>
  word
    .replaceAll(/'(?!re|ve|ll|m|t|s|d|n)(\w)\b/giu, "' $1")
    .replaceAll(joined, '$& ')
    .split(' ')
    .flatMap((part) => part.replace(clitic, ' $1').split(' '));
