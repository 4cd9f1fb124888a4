import { expect, it } from 'vitest';
import { afterDeath } from '../../../worker/embedded/service.js';

it.each([
  [1, { kind: 'restart', delayMs: 100 }],
  [2, { kind: 'restart', delayMs: 400 }],
  [3, { kind: 'restart', delayMs: 1_600 }],
  [4, { kind: 'restart', delayMs: 5_000 }],
  [5, { kind: 'give-up' }],
])('after %i quick deaths in a row: %o', (quickDeaths, decision) => {
  expect(afterDeath(quickDeaths)).toEqual(decision);
});
