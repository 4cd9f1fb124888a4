import { likeness, wordsOf } from './printed-text.js';

/** What tells that an item of a parser and one of PDFium are the same. */
export interface Likened {
  readonly number: string | null;
  /** Caption, cells, formula or entry. */
  readonly text: string;
}

/** Less alike than this, items are different ones. */
const leastLike = 0.5;

/**
 * The PDFium item of each item of a parser, by index; the likest pairs first, each item once. Items of one number are alike,
 * those of two numbers are not; without a number, the words count.
 */
export function matchItems(
  parts: readonly Likened[],
  items: readonly Likened[],
): ReadonlyMap<number, number> {
  const itemWords = items.map(({ text }) => wordsOf(text));
  const pairs = parts.flatMap((part, partIndex) => {
    const words = wordsOf(part.text);
    return items.flatMap((item, itemIndex) => {
      const alike = likenessOf(part, item, likeness(words, itemWords[itemIndex] ?? []));
      return alike < leastLike ? [] : [{ partIndex, itemIndex, alike }];
    });
  });
  // Where two pairs are equally alike, the order of the document decides.
  pairs.sort((a, b) => b.alike - a.alike || a.partIndex - b.partIndex || a.itemIndex - b.itemIndex);
  const matches = new Map<number, number>();
  const used = new Set<number>();
  for (const { partIndex, itemIndex } of pairs) {
    if (matches.has(partIndex) || used.has(itemIndex)) continue;
    matches.set(partIndex, itemIndex);
    used.add(itemIndex);
  }
  return matches;
}

function likenessOf(part: Likened, item: Likened, words: number): number {
  if (part.number === null || item.number === null) return words;
  return bare(part.number) === bare(item.number) ? 1 + words : 0;
}

const bare = (number: string): string => number.toLowerCase().replace(/[^\p{L}\p{N}.]/gu, '');
