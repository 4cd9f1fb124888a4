import { describe, expect, it } from 'vitest';
import { bm25Collection } from '../../../domain/stores/store-manifest.js';
import { fusedParts, fuseHits } from '../../../domain/stores/vectorstore-schema.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';

const hit = (primaryKey: string, score: number) => ({
  ...{ score, tableName: 'chunks', columnName: 'text_content', primaryKey },
});
const fuse = (...searches: readonly Readonly<Record<string, number>>[]) =>
  fuseHits(
    searches.map((scores) => Object.entries(scores).map(([key, score]) => hit(key, score))),
    10,
  );
const order = (...searches: readonly Readonly<Record<string, number>>[]): readonly string[] =>
  fuse(...searches).map(({ primaryKey }) => primaryKey);

describe('relative score fusion', () => {
  it('puts first what both searches score high', () => {
    expect(order({ a: 9, b: 8, c: 2 }, { d: 0.8, b: 0.7, c: 0.1 })).toEqual(['b', 'd', 'a', 'c']);
  });

  it('puts what is found by meaning alone before what is found by words alone', () => {
    expect(order({ a: 9, b: 2 }, { c: 0.8, d: 0.1 })).toEqual(['c', 'a', 'b', 'd']);
  });

  it('gives 0.3 of the relative score by words and 0.7 of that by meaning', () => {
    const [first, second] = fuse({ a: 12, b: 7, c: 2 }, { b: 0.9, c: 0.5 });
    expect(first?.score).toBeCloseTo(0.3 * 0.5 + 0.7, 12);
    expect(second?.score).toBeCloseTo(0.3, 12);
  });

  it('counts the only hit of a search, and hits of one score, as its best', () => {
    expect(fuse({ a: 4 }, {}).map(({ score }) => score)).toEqual([expect.closeTo(0.3, 12)]);
    expect(order({}, { a: 0.5, b: 0.5 })).toEqual(['a', 'b']);
  });

  it('gives no more hits than the limit', () => {
    expect(fuseHits([[hit('a', 2), hit('b', 1)], []], 1)).toHaveLength(1);
  });

  it('tells cells apart whatever their keys contain', () => {
    expect(order({ 'a","b': 1 }, { a: 1 })).toHaveLength(2);
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
