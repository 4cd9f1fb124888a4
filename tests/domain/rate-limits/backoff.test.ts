import { describe, expect, it } from 'vitest';
import { Spurious429s } from '../../../domain/rate-limits/backoff.js';
import { defaultSettings } from '../../../domain/rate-limits/settings.js';

const sendMany = (spurious: Spurious429s, calls: number): void => {
  for (let call = 0; call < calls; call += 1) spurious.recordCall();
};

describe('spurious 429s', () => {
  it('are single refusals at a pace that was allowed', () => {
    const spurious = new Spurious429s(defaultSettings);
    expect(spurious.isSpurious(true)).toBe(true);
    sendMany(spurious, 50);
    expect(spurious.isSpurious(false)).toBe(false);
  });

  it('are none where they come together', () => {
    const spurious = new Spurious429s(defaultSettings);
    expect([1, 2, 3].map(() => spurious.isSpurious(true))).toEqual([true, true, false]);
  });

  it('are thought to be more of the same once there were some, at any pace', () => {
    const spurious = new Spurious429s(defaultSettings);
    for (let time = 0; time < 3; time += 1) {
      spurious.isSpurious(true);
      sendMany(spurious, 50);
    }
    expect(spurious.isSpurious(false)).toBe(true);
  });

  it('are forgotten when refusals come together after all', () => {
    const spurious = new Spurious429s(defaultSettings);
    const found = Array.from({ length: 9 }, () => {
      const isSpurious = spurious.isSpurious(true);
      sendMany(spurious, 5);
      return isSpurious;
    });
    expect(found).toContain(false);
    sendMany(spurious, 100);
    expect(spurious.isSpurious(false)).toBe(false);
  });

  it.each([
    ['rare', 1, 200],
    ['in twos', 2, 50],
  ])('are no sign of more to come where they are %s', (_, together, apart) => {
    const spurious = new Spurious429s(defaultSettings);
    for (let time = 0; time < 2; time += 1) {
      for (let n = 0; n < together; n += 1) expect(spurious.isSpurious(true)).toBe(true);
      sendMany(spurious, apart);
    }
    expect(spurious.isSpurious(false)).toBe(false);
  });

  it('need to come together anew after each time they meant a limit', () => {
    const spurious = new Spurious429s(defaultSettings);
    for (let time = 0; time < 3; time += 1) spurious.isSpurious(true);
    sendMany(spurious, 5);
    expect(spurious.isSpurious(true)).toBe(true);
  });
});
