import { expect, it } from 'vitest';
import { ParsedCache } from '../../storage/parsed-cache.js';

const kept = (textBytes: number): number => {
  const cache = new ParsedCache<number, object>();
  const keys = Array.from({ length: 50_000 }, (_, key) => key);
  for (const key of keys) cache.set(key, { key }, textBytes);
  expect(cache.get(keys.length - 1)).toEqual({ key: keys.length - 1 });
  return keys.filter((key) => cache.get(key) !== undefined).length;
};

it('counts what a value takes beside its text, so that many short ones fill it too', () => {
  expect(kept(0)).toBe(16 * 1024);
});

it('keeps fewer values of longer texts', () => {
  expect(kept(15 * 1024)).toBe(1024);
});

it('does not keep what is larger than the cache', () => {
  const cache = new ParsedCache<string, object>();
  cache.set('large', {}, 2 ** 30);
  expect(cache.get('large')).toBeUndefined();
});
