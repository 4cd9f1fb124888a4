import { describe, expect, it } from 'vitest';
import {
  createRateLimiter,
  type RateLimiter,
  type RateLimits,
} from '../../simulator/rate-limiter.js';

const limiter = (
  requestsPerMinute?: number,
  tokensPerMinute?: number,
  burstSeconds = 10,
  others: Partial<RateLimits> = {},
): RateLimiter =>
  createRateLimiter(
    {
      requestsPerMinute,
      tokensPerMinute,
      burstSeconds,
      limitKind: 'bucket',
      limitChanges: [],
      ...others,
    },
    0,
  );
const admittedOf = (one: RateLimiter, fromMs: number, toMs: number, everyMs: number): number =>
  Array.from({ length: (toMs - fromMs) / everyMs }, (_, n) =>
    one.admit(1, fromMs + n * everyMs),
  ).filter(({ kind }) => kind === 'admitted').length;
const admitted = { kind: 'admitted' };

describe('createRateLimiter', () => {
  it('admits everything without a limit', () => {
    expect(limiter().admit(1e9, 0)).toEqual(admitted);
    expect(limiter().headers(0)).toEqual({});
  });

  it('admits a burst, then states the wait until the next request', () => {
    const one = limiter(12);
    expect([one.admit(1, 0), one.admit(1, 0), one.admit(1, 0)]).toEqual([
      admitted,
      admitted,
      { kind: 'refused', waitMs: 5000, by: 'requests', perMinute: 12, cost: 1 },
    ]);
    expect(one.admit(1, 4999)).toEqual({
      kind: 'refused',
      waitMs: 1,
      by: 'requests',
      perMinute: 12,
      cost: 1,
    });
    expect(one.admit(1, 5000)).toEqual(admitted);
  });

  it('admits at least one request, however short the burst', () => {
    expect(limiter(6, undefined, 0.1).admit(1, 0)).toEqual(admitted);
  });

  it('admits exactly the limit under steady load', () => {
    const one = limiter(60, undefined, 1);
    expect(admittedOf(one, 0, 60_000, 100)).toBe(60);
  });

  it('charges nothing for a refusal, on either limit', () => {
    const both = limiter(60, 600);
    expect(both.admit(90, 0)).toEqual(admitted);
    expect(both.admit(20, 0)).toEqual({
      kind: 'refused',
      waitMs: 1000,
      by: 'tokens',
      perMinute: 600,
      cost: 20,
    });
    expect(both.headers(0)).toMatchObject({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '9',
      'x-ratelimit-limit-tokens': '600',
      'x-ratelimit-remaining-tokens': '10',
      'x-ratelimit-reset-tokens': '9.000s',
    });
  });

  it('admits a request larger than the bucket when that is full, and delays the next ones', () => {
    const tokens = limiter(undefined, 600);
    expect(tokens.admit(500, 0)).toEqual(admitted);
    expect(tokens.admit(10, 0)).toEqual({
      kind: 'refused',
      waitMs: 41_000,
      by: 'tokens',
      perMinute: 600,
      cost: 10,
    });
    expect(tokens.admit(10, 41_000)).toEqual(admitted);
  });

  it('changes its limits at the configured times', () => {
    const limitChanges = [
      { afterSeconds: 120, factor: 1 },
      { afterSeconds: 60, factor: 0.5 },
    ];
    const one = limiter(600, undefined, 1, { limitChanges });
    expect([0, 60_000, 120_000].map((from) => admittedOf(one, from, from + 60_000, 50))).toEqual([
      609, 300, 600,
    ]);
    const stated = limiter(600, undefined, 1, { limitChanges }).headers(90_000);
    expect(stated).toMatchObject({ 'x-ratelimit-limit-requests': '300' });
  });

  it('counts by the minute if so configured', () => {
    const one = limiter(3, 100, 10, { limitKind: 'minute' });
    expect([one.admit(1, 10_000), one.admit(1, 20_000)]).toEqual([admitted, admitted]);
    expect(one.headers(20_000)).toMatchObject({
      'x-ratelimit-remaining-requests': '1',
      'x-ratelimit-reset-requests': '40.000s',
    });
    expect(one.admit(99, 30_000)).toEqual({
      kind: 'refused',
      waitMs: 30_000,
      by: 'tokens',
      perMinute: 100,
      cost: 99,
    });
    expect(one.admit(1, 50_000)).toEqual(admitted);
    expect(one.admit(1, 50_000)).toEqual({
      kind: 'refused',
      waitMs: 10_000,
      by: 'requests',
      perMinute: 3,
      cost: 1,
    });
    expect(one.admit(200, 60_000)).toEqual(admitted);
    expect(one.admit(1, 60_001)).toMatchObject({ by: 'tokens' });
  });
});
