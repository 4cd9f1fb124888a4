import { gap } from './truth.js';

/** Only letters, digits and gaps, in lower case without accents, so that type, spaces and hyphenation make no difference. */
export const squash = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\uFFFC]/gu, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '');

/** As `squash`, but the words stay apart. */
export const words = (text: string): readonly string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}\uFFFC]+/u)
    .filter((word) => word !== '');

/** Characters that a gap may stand for. A long formula in a caption has so many. */
const longestGap = 80;

/**
 * Where a true text ends in another text, by the positions where it may begin. Each gap stands for at most `longestGap` characters.
 * No regular expression, since that would try every division of the text between many gaps.
 */
function endsOf(truth: string, text: string, starts: readonly number[]): ReadonlySet<number> {
  const [first = '', ...rest] = truth.split(gap);
  const after = (piece: string, from: Iterable<number>, slack: number): Set<number> => {
    const ends = new Set<number>();
    for (const start of from) {
      for (let at = start; at <= Math.min(start + slack, text.length); at += 1) {
        if (text.startsWith(piece, at)) ends.add(at + piece.length);
      }
    }
    return ends;
  };
  return rest.reduce((ends, piece) => after(piece, ends, longestGap), after(first, starts, 0));
}

const equalsWithGaps = (truth: string, text: string): boolean =>
  truth.includes(gap) ? endsOf(truth, text, [0]).has(text.length) : truth === text;

/** Whether the found text is the true one, letter by letter. */
export function isSame(truth: string, found: string): boolean {
  const squashed = squash(truth);
  return squashed !== '' && equalsWithGaps(squashed, squash(found));
}

/** As `isSame`, but the words must be divided alike and no mark may stick to an end. */
export function isSameWording(truth: string, found: string): boolean {
  if (/[*†‡§¶∗]\s*$|^\s*[*†‡§¶∗]/u.test(found) && !/[*†‡§¶]/u.test(truth)) return false;
  return equalsWithGaps(words(truth).join(' '), words(found).join(' '));
}

/** As `squash`, without the letters that PDFs lose where they print `fi`, `fl` and `ffi` as one glyph. */
export const squashLoosely = (text: string): string => squash(text).replace(/[fil]/g, '');

/** A text in which to look for many others. */
export class PrintedText {
  private readonly squashed: string;

  constructor(text: string) {
    this.squashed = squashLoosely(text);
  }

  /** Whether the text is printed, as far as a broken glyph map lets one see it. */
  holds(truth: string): boolean {
    const looked = squashLoosely(truth);
    if (!looked.includes(gap)) return this.squashed.includes(looked);
    const pieces = looked.split(gap).filter((piece) => piece !== '');
    const [first = ''] = pieces;
    const starts: number[] = [];
    for (let at = this.squashed.indexOf(first); at !== -1 && first !== '';) {
      starts.push(at);
      at = this.squashed.indexOf(first, at + 1);
    }
    return endsOf(pieces.join(gap), this.squashed, starts).size > 0;
  }
}

/** Divides items into those that `others` have too, each as often as both have it, and the rest. */
export function divide(
  items: readonly string[],
  others: readonly string[],
): { readonly common: readonly string[]; readonly rest: readonly string[] } {
  const left = new Map<string, number>();
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1);
  const [common, rest]: [string[], string[]] = [[], []];
  for (const item of items) {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    (count > 0 ? common : rest).push(item);
  }
  return { common, rest };
}

/** The share of pairs of neighbouring characters that two squashed texts have in common, from 0 to 1. */
function likeness(a: string, b: string): number {
  const pairsOf = (text: string): readonly string[] =>
    Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2));
  const all = a.length + b.length - 2;
  return all <= 0 ? Number(a === b) : (2 * divide(pairsOf(b), pairsOf(a)).common.length) / all;
}

/** Formulas and a lost ligature change a tenth of a caption at most. */
const leastLikeness = 0.9;

/** Whether the found text is the true one up to formulas and a few characters. */
export const isAlike = (truth: string, found: string): boolean =>
  isSame(truth, found) ||
  likeness(squash(truth).replaceAll(gap, ''), squash(found)) >= leastLikeness;

/** Gives each true item at most one found item, the first that fits. Returns the indexes of the found items, -1 for none. */
export function assign<T, F>(
  truth: readonly T[],
  found: readonly F[],
  fits: (truth: T, found: F) => boolean,
): readonly number[] {
  const free = new Set(found.keys());
  return truth.map((item) => {
    const index = found.findIndex((candidate, at) => free.has(at) && fits(item, candidate));
    free.delete(index);
    return index;
  });
}
