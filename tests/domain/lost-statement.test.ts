import { expect, it } from 'vitest';
import { afterProcessDeath, hadFairTime } from '../../domain/lost-statement.js';

it.each([
  ['has kept a core busy', 600_000, true],
  ['has kept two busy', 1_200_000, true],
  ['had half of one', 300_000, true],
  ['had less', 299_999, false],
  ['was paused', 0, false],
])('a statement that %s in its time: its own fault is %#', (_, cpuMs, own) => {
  expect(hadFairTime({ cpuMs, wallMs: 600_000 })).toBe(own);
});

it.each([
  [1, true, 'ask-again'],
  [2, true, 'ask-again'],
  [3, true, 'statement-at-fault'],
  [1, false, 'outage'],
  [3, false, 'outage'],
] as const)('after %d deaths, while others work: %s', (deaths, othersWork, then) => {
  expect(afterProcessDeath(deaths, othersWork)).toBe(then);
});
