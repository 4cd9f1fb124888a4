import { groupBy } from '../../groups.js';
import { countsOf } from '../../statistics/means.js';

/** Finds texts of another parser on the pages of a PDF, whose words are the same but not its lines, hyphens and formulas. */
export interface PrintedText {
  /**
   * The page, from 1, on which a text begins; null where too few of its words are found one after the other.
   * @param near - of several such pages, the first one from here on counts, else the last one before
   */
  readonly pageOf: (text: string, near: number) => number | null;
}

/** Words one after the other that are looked up at once. */
const shingleLength = 3;
/** The first words of a text tell where it begins. */
const firstWords = 14;
/** The share of them that must be found. Formulas and citations are written in another way. */
const leastFound = 0.3;

/** @param pages - their texts, in order */
export function indexPages(pages: readonly string[]): PrintedText {
  const printed = pages.flatMap((text, index) =>
    [...new Set(shinglesOf(wordsOf(text)))].map((shingle) => ({ shingle, page: index + 1 })),
  );
  const placesOf = groupBy(printed, ({ shingle }) => shingle);
  return {
    pageOf: (text, near) => {
      const shingles = shinglesOf(wordsOf(text).slice(0, firstWords));
      const counts = countsOf(
        shingles.flatMap((shingle) => placesOf.get(shingle) ?? []).map(({ page }) => page),
      );
      const most = Math.max(0, ...counts.values());
      if (most === 0 || most < shingles.length * leastFound) return null;
      const best = [...counts].filter(([, count]) => count === most).map(([page]) => page);
      best.sort((a, b) => a - b);
      return best.find((page) => page >= near) ?? best.at(-1) ?? null;
    },
  };
}

function shinglesOf(words: readonly string[]): readonly string[] {
  if (words.length < shingleLength) return [];
  return Array.from({ length: words.length - shingleLength + 1 }, (_, start) =>
    words.slice(start, start + shingleLength).join(' '),
  );
}

/** The words of a text, without case, accents and punctuation. */
export const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}\u00AD]/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
