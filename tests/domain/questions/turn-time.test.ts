import { expect, it } from 'vitest';
import { usualTurnMs } from '../../../domain/questions/turn-time.js';

const took = (seconds: number, turns: number) => ({
  startedAt: new Date(0).toISOString(),
  endedAt: new Date(seconds * 1000).toISOString(),
  turns,
});

it('is the median over questions, of those that took a turn', () => {
  expect(usualTurnMs([took(4, 2), took(9000, 3), took(3, 1), took(100, 0)])).toBe(3000);
  expect(usualTurnMs([took(100, 0)])).toBeNull();
});
