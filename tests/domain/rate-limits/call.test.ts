import { describe, expect, it } from 'vitest';
import { TokenEstimate } from '../../../domain/rate-limits/rate-limiter.js';

describe('TokenEstimate', () => {
  it('expects the longest completion until it has seen one', () => {
    const estimate = new TokenEstimate();
    expect(estimate.of(4000, 1500)).toBe(2500);
    estimate.learn(4000, { prompt: 1000, completion: 100 });
    expect(estimate.of(4000, 1500)).toBe(1100);
    expect(estimate.of(4000, 50)).toBe(1050);
  });

  it('learns how many characters of these texts make a token', () => {
    const estimate = new TokenEstimate();
    for (let n = 0; n < 60; n += 1) estimate.learn(1000, { prompt: 500, completion: 10 });
    expect(estimate.of(2000, 1000)).toBeGreaterThan(1000);
    expect(estimate.of(2000, 1000)).toBeLessThanOrEqual(1010);
    estimate.learn(0, { prompt: 50, completion: 10 });
    expect(estimate.of(2000, 1000)).toBeLessThanOrEqual(1010);
  });
});
