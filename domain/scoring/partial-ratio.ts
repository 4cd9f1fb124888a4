import { similarity, type Measure } from './fuzzy-ratio.js';
import { matchingBlocks } from './matching-blocks.js';
import { roundHalfEven } from './rounding.js';

/**
 * fuzzywuzzy's `partial_ratio`: the best of the windows of the longer text that an alignment suggests. It can miss a text
 * that is contained word for word.
 */
export const partialRatio: Measure = (a, b) => {
  if (a === b) return 100;
  if (a === '' || b === '') return 0;
  const [first, second] = [Array.from(a), Array.from(b)];
  const [short, long] = first.length <= second.length ? [first, second] : [second, first];
  let best = 0;
  for (const block of matchingBlocks(short, long)) {
    const start = Math.max(0, block.long - block.short);
    const score = similarity(short, long.slice(start, start + short.length));
    if (score > 0.995) return 100;
    best = Math.max(best, score);
  }
  return roundHalfEven(100 * best);
};

/** `partialRatio` that finds what is contained. */
export const containingRatio: Measure = (a, b) =>
  a !== '' && b !== '' && (a.includes(b) || b.includes(a)) ? 100 : partialRatio(a, b);
