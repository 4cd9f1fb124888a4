import { wordsOf } from './printed-text.js';

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
  const likenesses = likenessTo(items.map(({ text }) => text));
  const pairs = parts.flatMap((part, partIndex) => {
    const words = likenesses(part.text);
    return items.flatMap((item, itemIndex) => {
      const alike = likenessOf(part, item, words[itemIndex] ?? 0);
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

/**
 * Of a text, the share of words that it has in common with each of some texts, from 0 to 1 (Dice's coefficient of their
 * multisets of words).
 */
function likenessTo(texts: readonly string[]): (text: string) => readonly number[] {
  const lengths: number[] = [];
  const holders = new Map<string, (readonly [index: number, count: number])[]>();
  for (const [index, words] of texts.map(wordsOf).entries()) {
    lengths.push(words.length);
    for (const [word, count] of countsOf(words)) {
      const known = holders.get(word);
      if (known === undefined) holders.set(word, [[index, count]]);
      else known.push([index, count]);
    }
  }
  return (text) => {
    const words = wordsOf(text);
    const shared = lengths.map(() => 0);
    for (const [word, count] of countsOf(words)) {
      for (const [index, held] of holders.get(word) ?? []) {
        shared[index] = (shared[index] ?? 0) + Math.min(count, held);
      }
    }
    return shared.map((common, index) => {
      const both = words.length + (lengths[index] ?? 0);
      return both === 0 ? 0 : (2 * common) / both;
    });
  };
}

function countsOf(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
