import { describe, expect, it } from 'vitest';
import { WindowAllowance } from '../../../domain/limits/window-allowance.js';

type Look = readonly [sentAtMs: number, units: number, resetAtMs: number];

function learnt(looks: readonly Look[], sentSince = 0): number {
  const allowance = new WindowAllowance();
  for (const [sentAtMs, units, resetAtMs] of looks) {
    const resetMs = resetAtMs - sentAtMs;
    allowance.learn({ units, resetMs, sentSince, sentAtMs }, sentAtMs + 100);
  }
  return allowance.readyAtMs;
}

describe('WindowAllowance', () => {
  it('waits for the end of a window in which nothing remains', () => {
    const window: readonly Look[] = [
      [1000, 500, 60_000],
      [30_000, 100, 60_000],
      [50_000, 0, 60_400],
    ];
    expect(learnt(window)).toBe(60_400);
    expect(learnt(window.slice(0, 2))).toBe(-Infinity);
    expect(learnt(window.slice(0, 2), 100)).toBe(60_000);
    expect(learnt([...window, [61_000, 599, 120_000]])).toBe(-Infinity);
  });

  it('does not wait where allowance flows back, and the reset moves away with each call', () => {
    expect(
      learnt([
        [1000, 500, 11_000],
        [30_000, 100, 80_000],
        [50_000, 0, 110_000],
      ]),
    ).toBe(-Infinity);
  });

  it('does not wait for a window of hours', () => {
    const hourMs = 3_600_000;
    expect(
      learnt([
        [1000, 5, hourMs],
        [30_000, 0, hourMs],
      ]),
    ).toBe(-Infinity);
  });

  it('takes no notice of a reply that another has overtaken', () => {
    expect(
      learnt([
        [1000, 500, 60_000],
        [30_000, 0, 60_000],
        [20_000, 200, 60_000],
      ]),
    ).toBe(60_000);
  });

  it('learns nothing from a reply that says one half only', () => {
    const allowance = new WindowAllowance();
    for (const sentAtMs of [1000, 30_000]) {
      allowance.learn({ units: 0, resetMs: undefined, sentSince: 0, sentAtMs }, sentAtMs);
      allowance.learn({ units: undefined, resetMs: 100, sentSince: 0, sentAtMs }, sentAtMs);
    }
    expect(allowance.readyAtMs).toBe(-Infinity);
  });
});
