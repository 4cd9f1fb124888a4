import { expect, it } from 'vitest';
import { isLeftFor } from '../../../domain/building/waiting.js';

it.each([
  ['everybody, unless it is assigned', [], [], false, true],
  ['whom it is assigned to', ['ann'], [], false, true],
  ['nobody else', ['bob'], [], false, false],
  ['nobody who has decided', ['ann', 'bob'], ['ann'], false, false],
  ['whoever settles where two differ', ['bob'], [], true, true],
])('is left for %s', (_, assigned, decidedBy, adjudicates, isLeft) => {
  expect(isLeftFor({ assigned, decidedBy, adjudicates }, 'ann')).toBe(isLeft);
});
