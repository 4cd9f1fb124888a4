import { describe, expect, it } from 'vitest';
import { chooseFault, latencyMsOf } from '../../simulator/faults.js';
import { simulatorOptionsSchema } from '../../simulator/simulator-options.js';

const keys = Array.from({ length: 4000 }, (_, n) => `request ${n}`);

describe('chooseFault', () => {
  const options = { seed: 1, faults: { '500': 0.1, hang: 0.2 } };

  it('chooses the configured share of requests', () => {
    const hits = keys.map((key) => chooseFault(options, key, 1));
    expect(hits.filter((hit) => hit === '500').length / keys.length).toBeCloseTo(0.1, 1);
    expect(hits.filter((hit) => hit === 'hang').length / keys.length).toBeCloseTo(0.2, 1);
  });

  it('depends on seed, content and attempt, and on nothing else', () => {
    const hits = (seed: number, attempt: number) =>
      keys.map((key) => chooseFault({ ...options, seed }, key, attempt));
    expect(hits(1, 1)).toEqual(hits(1, 1));
    expect(hits(2, 1)).not.toEqual(hits(1, 1));
    expect(hits(1, 2)).not.toEqual(hits(1, 1));
  });

  it.each([
    ['always', 1, 'reset'],
    ['never', 0, undefined],
  ] as const)('can happen %s', (_, rate, expected) => {
    const hits = keys.map((key) => chooseFault({ seed: 3, faults: { reset: rate } }, key, 1));
    expect(new Set(hits)).toEqual(new Set([expected]));
  });

  it('refuses rates that add up to more than 1', () => {
    const options = { faults: { '500': 0.6, '503': 0.6 } };
    expect(simulatorOptionsSchema.safeParse(options).success).toBe(false);
  });
});

describe('latencyMsOf', () => {
  it('covers the range of the jitter and no more', () => {
    const latencies = keys.map((key) =>
      latencyMsOf({ seed: 1, latencyMs: 200, jitter: 0.5 }, key, 1),
    );
    expect(Math.min(...latencies)).toBeGreaterThanOrEqual(100);
    expect(Math.min(...latencies)).toBeLessThan(110);
    expect(Math.max(...latencies)).toBeLessThanOrEqual(300);
    expect(Math.max(...latencies)).toBeGreaterThan(290);
  });
});
