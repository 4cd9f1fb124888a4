import { describe, expect, it } from 'vitest';
import { fusedParts, fuseHits } from '../../../domain/stores/fused-search.js';
import { bm25Collection } from '../../../domain/stores/store-manifest.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';

const hit = (primaryKey: string) => ({
  ...{ score: 9, tableName: 'chunks', columnName: 'text_content', primaryKey },
});
const order = (...searches: readonly (readonly string[])[]): readonly string[] =>
  fuseHits(
    searches.map((keys) => keys.map(hit)),
    10,
  ).map(({ primaryKey }) => primaryKey);

describe('reciprocal rank fusion', () => {
  it('puts first what both searches rank high', () => {
    expect(order(['a', 'b', 'c'], ['c', 'b', 'd'])).toEqual(['c', 'b', 'a', 'd']);
  });

  it('keeps the order of an earlier search where sums are equal', () => {
    expect(order(['a', 'b'], ['b', 'a'])).toEqual(['a', 'b']);
    expect(order(['a'], ['b'])).toEqual(['a', 'b']);
  });

  it('gives the sum of 1 / (60 + rank) as the score, and no more than the limit', () => {
    const [first, ...others] = fuseHits([[hit('a'), hit('b')], [hit('a')]], 1);
    expect(first?.score).toBeCloseTo(2 / 61, 12);
    expect(others).toEqual([]);
  });

  it('tells cells apart whatever their keys contain', () => {
    expect(order(['a","b'], ['a'])).toHaveLength(2);
  });
});

it('needs a collection by words and one by meaning', () => {
  const { collections } = exampleManifest().store;
  expect(fusedParts(collections)?.map(({ name }) => name)).toEqual([
    'text_bm25_en',
    'text_hashing_384',
  ]);
  expect(fusedParts([{ ...bm25Collection, rows: 1 }])).toBeNull();
});
