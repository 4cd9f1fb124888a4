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
});
