import { newStemmer } from 'snowball-stemmers';
import { englishStopWords } from './stop-words.js';

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
