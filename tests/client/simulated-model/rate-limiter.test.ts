import { describe, expect, it } from 'vitest';
import { createRateLimiter } from '../../../client/simulated-model/rate-limiter.js';

const limiter = (requestsPerMinute?: number, tokensPerMinute?: number, burstSeconds = 10) =>
  createRateLimiter({ requestsPerMinute, tokensPerMinute, burstSeconds }, 0);
const admitted = { kind: 'admitted' };

describe('createRateLimiter', () => {
  it('admits everything where there is no limit', () => {
    expect(limiter().admit(1e9, 0)).toEqual(admitted);
    expect(limiter().headers(0)).toEqual({});
  });

  it('admits a burst, then says how long to wait for the next request', () => {
    const one = limiter(12);
    expect([one.admit(1, 0), one.admit(1, 0), one.admit(1, 0)]).toEqual([
      admitted,
      admitted,
      { kind: 'refused', waitMs: 5000 },
    ]);
    expect(one.admit(1, 4999)).toEqual({ kind: 'refused', waitMs: 1 });
    expect(one.admit(1, 5000)).toEqual(admitted);
  });

  it('admits at least one request, however short the burst', () => {
    expect(limiter(6, undefined, 0.1).admit(1, 0)).toEqual(admitted);
  });

  it('admits the limit and no more in a steady flow', () => {
    const one = limiter(60, undefined, 1);
    const minute = Array.from({ length: 600 }, (_, tenth) => one.admit(1, tenth * 100));
    expect(minute.filter(({ kind }) => kind === 'admitted')).toHaveLength(60);
  });

  it('charges nothing for a refusal, on either limit', () => {
    const both = limiter(60, 600);
    expect(both.admit(90, 0)).toEqual(admitted);
    expect(both.admit(20, 0)).toEqual({ kind: 'refused', waitMs: 1000 });
    expect(both.headers(0)).toMatchObject({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '9',
      'x-ratelimit-limit-tokens': '600',
      'x-ratelimit-remaining-tokens': '10',
      'x-ratelimit-reset-tokens': '9.000s',
    });
  });

  it('admits a request larger than the bucket when that is full, and makes the next ones pay', () => {
    const tokens = limiter(undefined, 600);
    expect(tokens.admit(500, 0)).toEqual(admitted);
    expect(tokens.admit(10, 0)).toEqual({ kind: 'refused', waitMs: 41_000 });
    expect(tokens.admit(10, 41_000)).toEqual(admitted);
  });
});
