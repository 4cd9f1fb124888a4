import { describe, expect, it } from 'vitest';
import type { Item } from '../../../domain/building/item.js';
import {
  decided,
  atGate,
  freshItem,
  someTime,
  untilGate,
  versionBy,
} from '../../support/runs/building/items.js';
import {
  afterStep,
  mostChecks,
  mostUnreadable,
  type StepEnd,
} from '../../../domain/building/decide.js';

const failing = (item: Item, end: StepEnd, times: number): Item =>
  Array.from({ length: times }).reduce<Item>((now) => afterStep(now, end, someTime), item);
const unreadable: StepEnd = { kind: 'unreadable', message: 'no question' };
const checkFailed: StepEnd = { kind: 'check-failed', message: 'no such column' };

describe('an item', () => {
  it('goes through the steps of each phase in their order', () => {
    const steps = (item: Item): readonly string[] =>
      item.versions.flatMap(({ by }) => (by.kind === 'model' ? [by.step] : []));
    expect(steps(atGate('answer'))).toEqual([
      ...['control', 'condense', 'conjecture', 'construct', 'query', 'conclude', 'classify'],
    ]);
    expect(atGate('rows')).toMatchObject({
      state: 'awaiting-rows',
      calls: 4,
      gate: { gate: 'rows' },
    });
  });

  it('makes only what comes after a step that it was sent back to', () => {
    const rows = atGate('rows');
    const again = untilGate(
      decided(rows, { kind: 'redo', step: 'construct' }, { reason: 'fewer' }),
    );
    expect(again.versions.slice(rows.versions.length).map(({ part }) => part)).toEqual(['rows']);
    expect(again).toMatchObject({ state: 'awaiting-rows', remark: '' });
    expect(again.revision).toBeGreaterThan(rows.revision);
  });

  it.each<[string, Item, StepEnd, number, string]>([
    ['unreadable replies', freshItem(), unreadable, mostUnreadable, 'unreadable-reply'],
    [
      'rows that do not run',
      { ...freshItem(), state: 'constructing', step: 'construct' },
      checkFailed,
      mostChecks,
      'construct-failed',
    ],
    [
      'queries that do not run',
      { ...freshItem(), state: 'concluding', step: 'query' },
      checkFailed,
      mostChecks,
      'query-failed',
    ],
  ])('is parked after %s, with every message', (_, item, end, most, reason) => {
    const before = failing(item, end, most - 1);
    expect(before).toMatchObject({ state: item.state, step: item.step, calls: most - 1 });
    const after = failing(item, end, most);
    const message = Array.from({ length: most }, () => 'message' in end && end.message).join('\n');
    expect(after).toMatchObject({
      state: 'parked',
      gate: { parked: { from: item.state, reason, message } },
    });
  });

  it('forgets failures once a reply can be used', () => {
    const item = afterStep(freshItem(), unreadable, someTime);
    const made = afterStep(item, { kind: 'made', version: versionBy(item, 'control') }, someTime);
    expect(made).toMatchObject({
      step: 'condense',
      calls: 2,
      failed: { unreadable: 0, messages: [] },
    });
  });
});
