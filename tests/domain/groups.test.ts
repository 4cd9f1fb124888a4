import { expect, it } from 'vitest';
import { groupBy, groupNeighbours } from '../../domain/groups.js';

it('groups by key, in the order of first occurrence', () => {
  const groups = groupBy([3, 1, 5, 2], (value) => value % 2);
  expect([...groups]).toEqual([
    [1, [3, 1, 5]],
    [0, [2]],
  ]);
});

it('cuts a list where a value does not go on what stands before it', () => {
  const steps = groupNeighbours([1, 2, 4, 5, 6], (value, before) => value - before === 1);
  expect(steps).toEqual([
    [1, 2],
    [4, 5, 6],
  ]);
});

it('shows each value the group that it may join', () => {
  const near = groupNeighbours([1, 2, 3, 4], (value, _, [first = 0]) => value - first < 2);
  expect(near).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

it('gives no group for no values', () => {
  expect(groupNeighbours([], () => true)).toEqual([]);
});
