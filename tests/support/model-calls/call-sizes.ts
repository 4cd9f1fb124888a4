import type { CallSize } from '../../../domain/budget/amount.js';

/** A call of text that may cost so many tokens, and no dollars, whatever was billed. */
export const callOf = (tokens: number): CallSize => ({
  kind: 'model',
  model: 'a model',
  text: { estimated: 0, most: 0 },
  pictures: { estimated: 0, most: 0 },
  completion: tokens,
  price: null,
});

/** A call with pictures that are estimated at 10 tokens and may have 100, in a reply of 0 tokens. */
export const pictureCall = (pictures = 1): CallSize => ({
  kind: 'model',
  model: 'a model',
  text: { estimated: 0, most: 0 },
  completion: 0,
  price: null,
  pictures: { estimated: 10 * pictures, most: 100 * pictures },
});
