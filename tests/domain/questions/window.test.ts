import { expect, it } from 'vitest';
import { firstTurnInWindow } from '../../../domain/questions/window.js';

it.each([
  { turn: 1, windowSize: 5, first: 1 },
  { turn: 6, windowSize: 5, first: 1 },
  { turn: 7, windowSize: 5, first: 2 },
  { turn: 4, windowSize: 1, first: 3 },
  { turn: 4, windowSize: 0, first: 4 },
])('turn $turn with a window of $windowSize sees turns from $first on', (row) => {
  expect(firstTurnInWindow(row.turn, row.windowSize)).toBe(row.first);
});
