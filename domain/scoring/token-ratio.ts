import { byCodePoint } from './by-code-point.js';
import type { Measure } from './fuzzy-ratio.js';
import { strip } from '../python/text.js';

/** Lower-case words of letters, numbers and underscores; U+0080 to U+00FF are dropped before, unless `whole`. */
export function cleaned(text: string, whole = false): string {
  const kept = whole ? text : text.replace(/[\x80-\xff]/g, '');
  return strip(kept.replace(/[^\p{L}\p{N}_]/gu, ' ').toLowerCase());
}

/** Compares the words of both texts in alphabetical order. */
export const sortingTokens =
  (measure: Measure): Measure =>
  (a, b) =>
    measure(sorted(tokens(a)), sorted(tokens(b)));

/** Compares the words in common, alone and with the rest of either text: a subset of words is equal. */
export const settingTokens =
  (measure: Measure): Measure =>
  (a, b) => {
    if (a === '' || b === '') return 0;
    const [first, second] = [new Set(tokens(a)), new Set(tokens(b))];
    const common = sorted([...first].filter((token) => second.has(token)));
    const withRest = (own: ReadonlySet<string>, other: ReadonlySet<string>): string =>
      `${common} ${sorted([...own].filter((token) => !other.has(token)))}`.trim();
    const [one, two] = [withRest(first, second), withRest(second, first)];
    return Math.max(measure(common, one), measure(common, two), measure(one, two));
  };

/** Of cleaned text, where every blank is an ordinary space. */
const tokens = (text: string): readonly string[] => text.split(' ').filter((token) => token !== '');

const sorted = (words: readonly string[]): string => words.toSorted(byCodePoint).join(' ');
