import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CircuitBreaker, isOutage, pauseMs } from '../../../domain/rate-limits/circuit-breaker.js';

const outage = { failure: 'ModelUnavailable', message: 'cannot answer now' } as const;

describe('a circuit breaker', () => {
  it('suspects the dependency after three failures in a row, and not while others are answered', () => {
    const breaker = new CircuitBreaker();
    expect(breaker.recordFailed('ModelUnavailable')).toBe(false);
    expect(breaker.recordFailed('ModelUnavailable')).toBe(false);
    breaker.recordAnswered();
    expect(breaker.recordFailed('ModelUnavailable')).toBe(false);
    expect(breaker.recordFailed('ModelUnavailable')).toBe(false);
    expect(breaker.recordFailed('ModelUnavailable')).toBe(true);
    expect(breaker.state(0)).toEqual({ kind: 'closed' });
  });

  it('asks for a probe at once where no retry can help', () => {
    expect(new CircuitBreaker().recordFailed('ModelRefusedKey')).toBe(true);
  });

  it('defers until the next probe is due, with growing pauses', () => {
    const breaker = new CircuitBreaker();
    breaker.recordOutage(outage, 0);
    expect(breaker.state(4_999)).toEqual({ kind: 'open', outage, untilMs: 5_000 });
    expect(breaker.state(5_000)).toEqual({ kind: 'due' });
    breaker.recordOutage(outage, 5_000);
    expect(breaker.state(5_000)).toEqual({ kind: 'open', outage, untilMs: 15_000 });
    breaker.recordAnswered();
    expect(breaker.state(5_000)).toEqual({ kind: 'closed' });
  });

  it('is late by at most a minute, or by a twentieth of the outage and five minutes', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(1e9), (probes, lengthMs) => {
        const pause = pauseMs(probes, lengthMs);
        expect(pause).toBeGreaterThanOrEqual(5_000);
        expect(pause).toBeLessThanOrEqual(Math.max(60_000, lengthMs / 20));
        expect(pause).toBeLessThanOrEqual(300_000);
      }),
    );
  });
});

describe('an outage', () => {
  it.each([
    ['ModelUnavailable', true],
    ['ModelRefusedKey', true],
    ['StoreUnavailable', true],
    ['RunFilesUnavailable', true],
    ['ModelRateLimited', false],
    ['ModelDeferred', false],
    ['ModelQuotaSpent', false],
    ['ModelRejectedRequest', false],
    ['ModelRequestTooLarge', false],
  ] as const)('%s: %s', (failure, expected) => {
    expect(isOutage(failure)).toBe(expected);
  });
});
