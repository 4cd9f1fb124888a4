import { describe, expect, it } from 'vitest';
import { simulateAccount, type Outcome, type Scenario } from '../../support/simulated-account.js';

const perMinute = 600;
/** Three times what is allowed, at two seconds a call. */
const callers = 60;
const seeds = [1, 2];

const shareUsed = ({ accepted }: Outcome, from: number, to: number, limit = perMinute): number =>
  accepted.slice(from, to).reduce((sum, n) => sum + n, 0) / (limit * (to - from));

const requests = { requestsPerMinute: perMinute };
const tokens = { tokensPerMinute: 600_000 };
const sizes = [300, 1700] as const;
const twoWorkers = { workers: 2 };
const twoInTouch = { workers: 2, control: true };
const inTouch: [string, Partial<Scenario>][] = [['two workers in touch', twoInTouch]];

describe.each([
  ['that says all', 'all'],
  ['that says when to come back', 'retry-after'],
  ['that says nothing', 'none'],
] as const)('calls to a provider %s', (_, headers) => {
  it.each<[string, Partial<Scenario>]>([
    ['requests', { limits: requests }],
    ['requests, with little burst', { limits: { ...requests, burstSeconds: 1 } }],
    ['requests, with a minute of burst', { limits: { ...requests, burstSeconds: 60 } }],
    ['requests, of two workers', { limits: requests, ...twoWorkers }],
    ['requests, of two workers in touch', { limits: requests, ...twoInTouch }],
    ['requests, of a fixed number', { limits: requests, concurrency: 'fixed' }],
    ['requests, with slow replies', { limits: requests, latencyMs: 10_000, callers: 300 }],
    ['tokens', { limits: tokens, tokens: sizes }],
    ['tokens, of two workers', { limits: tokens, tokens: sizes, ...twoWorkers }],
    ['tokens, of two workers in touch', { limits: tokens, tokens: sizes, ...twoInTouch }],
  ])('use a limit of %s and are hardly ever refused', (__, scenario) => {
    const limits: Scenario['limits'] = scenario.limits ?? requests;
    const limit = limits.requestsPerMinute ?? limits.tokensPerMinute;
    for (const seed of seeds) {
      const outcome = simulateAccount({ seed, minutes: 5, headers, callers, ...scenario, limits });
      expect(shareUsed(outcome, 1, 5, limit)).toBeGreaterThanOrEqual(0.95);
      expect(outcome.refusedShare).toBeLessThanOrEqual(0.02);
    }
  });

  it.each([
    ['one worker', {}],
    ['one worker, with slow replies', { latencyMs: 6600, callers: 200 }],
    ['two workers', twoWorkers],
    ['two workers in touch', twoInTouch],
  ])('of %s follow a limit that halves and doubles within a minute', (__, who) => {
    const limitChanges = [
      { afterSeconds: 120, factor: 0.5 },
      { afterSeconds: 300, factor: 1 },
    ];
    for (const seed of seeds) {
      const limits = { ...requests, limitChanges };
      const outcome = simulateAccount({ seed, minutes: 8, headers, callers, limits, ...who });
      expect(shareUsed(outcome, 1, 2)).toBeGreaterThanOrEqual(0.95);
      expect(shareUsed(outcome, 3, 5, perMinute / 2)).toBeGreaterThanOrEqual(0.95);
      expect(shareUsed(outcome, 6, 8)).toBeGreaterThanOrEqual(0.95);
      // Each change has to be found out.
      expect(outcome.refusedShare).toBeLessThanOrEqual(0.025);
    }
  });

  it.each<[string, Partial<Scenario>]>([
    ['one worker', {}],
    // Two that are told nothing have to find out each minute that it is over, each by itself.
    ...(headers === 'none' ? [] : inTouch),
  ])('of %s use a limit that is counted by the minute', (__, who) => {
    for (const seed of seeds) {
      const limits = { ...requests, limitKind: 'minute' } as const;
      const outcome = simulateAccount({ seed, minutes: 6, headers, callers, limits, ...who });
      expect(shareUsed(outcome, 1, 6)).toBeGreaterThanOrEqual(0.95);
      expect(outcome.refusedShare).toBeLessThanOrEqual(0.02);
    }
  });
});

describe('calls that nothing limits', () => {
  it('come as fast as they are made', () => {
    const outcome = simulateAccount({ seed: 1, minutes: 2, limits: {}, callers });
    expect(outcome.refusedShare).toBe(0);
    expect(shareUsed(outcome, 1, 2, callers * 30)).toBeGreaterThan(0.97);
  });

  it('are not held back where whoever makes them has fixed their number', () => {
    const concurrency = 'fixed';
    const outcome = simulateAccount({ seed: 1, minutes: 1, limits: {}, callers, concurrency });
    expect(shareUsed(outcome, 0, 1, callers * 30)).toBeGreaterThan(0.97);
  });
});
