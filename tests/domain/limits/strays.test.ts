import { describe, expect, it } from 'vitest';
import { Strays } from '../../../domain/limits/strays.js';

const sendMany = (strays: Strays, calls: number): void => {
  for (let call = 0; call < calls; call += 1) strays.send();
};

describe('strays', () => {
  it('are single refusals at a pace that was allowed', () => {
    const strays = new Strays();
    expect(strays.refuse(true)).toBe('stray');
    sendMany(strays, 50);
    expect(strays.refuse(false)).toBe('limit');
  });

  it('are none where they come together', () => {
    const strays = new Strays();
    expect([1, 2, 3].map(() => strays.refuse(true))).toEqual(['stray', 'stray', 'surely limit']);
  });

  it('are thought to be more of the same once there were some, at any pace', () => {
    const strays = new Strays();
    for (let time = 0; time < 3; time += 1) {
      strays.refuse(true);
      sendMany(strays, 50);
    }
    expect(strays.refuse(false)).toBe('stray');
  });

  it('are forgotten when refusals come together after all', () => {
    const strays = new Strays();
    const found = Array.from({ length: 9 }, () => {
      const suspicion = strays.refuse(true);
      sendMany(strays, 5);
      return suspicion;
    });
    expect(found).toContain('surely limit');
    sendMany(strays, 100);
    expect(strays.refuse(false)).toBe('limit');
  });

  it.each([
    ['rare', 1, 200],
    ['in twos', 2, 50],
  ])('are no sign of more to come where they are %s', (_, together, apart) => {
    const strays = new Strays();
    for (let time = 0; time < 2; time += 1) {
      for (let n = 0; n < together; n += 1) expect(strays.refuse(true)).toBe('stray');
      sendMany(strays, apart);
    }
    expect(strays.refuse(false)).toBe('limit');
  });

  it('need to come together anew after each time they meant a limit', () => {
    const strays = new Strays();
    for (let time = 0; time < 3; time += 1) strays.refuse(true);
    sendMany(strays, 5);
    expect(strays.refuse(true)).toBe('stray');
  });
});
