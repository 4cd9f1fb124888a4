import { describe, expect, it } from 'vitest';
import { answers, nearest, qualityOf, rankOf } from '../../bench/retrieval/retrieval.js';

const passage = (primaryKey: string, text = primaryKey, paper = 'ovens.pdf') => ({
  ...{ paper, text, primaryKey, tableName: 'chunks', columnName: 'text_content' },
});
const found = (texts: readonly string[]) => texts.map((text) => ({ ...passage(text), score: 1 }));

describe('the nearest passages', () => {
  const entries = [
    { passage: passage('a'), vector: 1 },
    { passage: passage('b'), vector: 3 },
    { passage: passage('a'), vector: 4 },
    { passage: passage('c'), vector: 0 },
  ];

  it('come best first, each once with its best part, and only above 0', () => {
    const hits = nearest(entries, (vector) => vector, 10);
    expect(hits.map(({ primaryKey, score }) => [primaryKey, score])).toEqual([
      ['a', 4],
      ['b', 3],
    ]);
  });

  it('are no more than the limit', () => {
    expect(nearest(entries, (vector) => vector, 1)).toHaveLength(1);
  });
});

describe('an answer', () => {
  const wanted = { paper: 'ovens.pdf', phrase: 'bread is baked' };

  it.each([
    ['Here bread is baked.', 'ovens.pdf', true],
    ['Here bread\n  is baked.', 'ovens.pdf', true],
    ['Here bread is baked.', 'mills.pdf', false],
    ['Here bread is sold.', 'ovens.pdf', false],
  ])('%j of %s: %j', (text, paper, expected) => {
    expect(answers(passage('a', text, paper), wanted)).toBe(expected);
  });

  it('has the rank of the first passage that gives it', () => {
    expect(rankOf(found(['flour', 'bread is baked', 'so bread is baked']), wanted)).toBe(2);
    expect(rankOf(found(['flour']), wanted)).toBe(Infinity);
  });
});

it('counts ranks up to 1, 5 and 10', () => {
  const { hit1, hit5, mrr10 } = qualityOf([1, 5, 10, 11, Infinity]);
  expect([hit1, hit5]).toEqual([0.2, 0.4]);
  expect(mrr10).toBeCloseTo((1 + 1 / 5 + 1 / 10) / 5, 12);
});
