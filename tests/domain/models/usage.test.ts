import { expect, it } from 'vitest';
import {
  cacheEffect,
  cacheText,
  type Price,
  type PricedTokens,
} from '../../../domain/models/usage.js';

const price = { input: 1, output: 4, cachedInput: 0.1, cacheWrite: 1.25, cacheWriteHour: 2 };
const million = { prompt: 1e6, completion: 1e5 };

it.each<[string, PricedTokens, Price | null, string | null]>([
  ['reads', { ...million, cached: 400_000 }, price, '40 %, which saves $0.36'],
  [
    'reads and writes',
    { ...million, cached: 4e5, cacheWritten: 6e5 },
    price,
    '40 %, which saves $0.21',
  ],
  [
    'only writes',
    { ...million, cached: 0, cacheWritten: 8e5 },
    price,
    '0 %, which costs $0.20 more',
  ],
  [
    'writes for an hour',
    { ...million, cached: 0, cacheWrittenHour: 5e5 },
    price,
    '0 %, which costs $0.50 more',
  ],
  [
    'more reads than there are tokens',
    { ...million, cached: 2e6 },
    price,
    '100 %, which saves $0.90',
  ],
  ['no price of its own for reads', { ...million, cached: 5e5 }, { input: 1, output: 4 }, '50 %'],
  ['an unknown price', { ...million, cached: 5e5 }, null, '50 %'],
  ['nothing', { ...million, cached: 0 }, price, null],
])('says what a provider’s cache saves: %s', (_, tokens, priced, text) => {
  const effect = cacheEffect(tokens, priced);
  expect(effect && cacheText(effect)).toBe(text);
});
