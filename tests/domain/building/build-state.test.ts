import { expect, it } from 'vitest';
import {
  buildCondition,
  buildProgress,
  openBuild,
  reported,
  type BuildState,
  type HeldItem,
  type ItemReport,
} from '../../../domain/building/build-state.js';
import { itemIdSchema, type ItemId } from '../../../domain/ids.js';

const itemOf = (id: string): ItemId => itemIdSchema.parse(id);
const [first, second, later] = [itemOf('a-1'), itemOf('a-2'), itemOf('a-3')];
const held = (item: ItemId): ItemReport => ({
  kind: 'held',
  held: { item, message: 'paused', reason: 'pause', need: null },
});

it('knows an item that is drafted from one that is held up, also in a later step', () => {
  const working = (state: BuildState): number => buildProgress(state, 3).working;
  const drafting: BuildState = { ...openBuild(2), drafting: [first, second], started: 3 };
  expect(working(drafting)).toBe(2);
  const laterIsHeld = reported(drafting, held(later));
  expect(working(laterIsHeld)).toBe(2);
  const firstIsHeld = reported(laterIsHeld, held(first));
  expect(working(firstIsHeld)).toBe(1);
  expect(working(reported(firstIsHeld, { kind: 'waits', item: second }))).toBe(0);
});

it.each<[string, string, Partial<BuildState>]>([
  ['whose items models draft', 'running', { drafting: [first] }],
  ['that a person has paused', 'paused', { drafting: [first], isPaused: true }],
  ['that waits for decisions', 'held', {}],
  ['whose budget is spent', 'held', { held: [heldBy('budget')] }],
  ['whose models do not answer', 'waiting', { held: [heldBy('outage')] }],
  ['of which nothing is left', 'done', { closed: 3, isPaused: true }],
])('a building %s is %s', (_, condition, state) => {
  const progress = buildProgress({ ...openBuild(2), started: 3, ...state }, 3);
  expect(buildCondition(progress)).toBe(condition);
});

function heldBy(reason: HeldItem['reason']): HeldItem {
  return { item: later, message: 'why', reason, need: null };
}
