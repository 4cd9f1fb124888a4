import { expect, it } from 'vitest';
import {
  joinedRanges,
  mostRanges,
  rangesOf,
  type SampleRange,
} from '../../../domain/runs/sample-ranges.js';

const ranges = (...pairs: readonly (readonly [number, number])[]): readonly SampleRange[] =>
  pairs.map(([start, end]) => ({ start, end }));

it.each([
  [ranges(), ranges([3, 5]), ranges([3, 5])],
  [ranges([3, 5]), ranges([0, 1]), ranges([0, 1], [3, 5])],
  [ranges([3, 5]), ranges([5, 6]), ranges([3, 6])],
  [ranges([3, 9]), ranges([4, 5]), ranges([3, 9])],
  [ranges([3, 5]), ranges([7, 7]), ranges([3, 5])],
])('joins %j and %j', (some, others, joined) => {
  expect(joinedRanges(some, others)).toEqual(joined);
});

it('makes ranges of indices in any order, each once', () => {
  expect(joinedRanges([], rangesOf([7, 2, 3, 1, 3]))).toEqual(ranges([1, 4], [7, 8]));
});

it('closes the smallest gaps where there are too many ranges', () => {
  const far = Array.from({ length: mostRanges }, (_, index) => index * 100);
  const joined = joinedRanges([], rangesOf([...far, 503]));
  expect(joined).toHaveLength(mostRanges);
  expect(joined).toContainEqual({ start: 500, end: 504 });
  expect(joined.at(-1)).toEqual({ start: 2300, end: 2301 });
});
