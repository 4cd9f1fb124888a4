import { describe, expect, it } from 'vitest';
import { simulateAccount, type Outcome, type Scenario } from '../../support/simulated-account.js';

const perMinute = 600;
/** Three times what is allowed, at two seconds a call. */
const callers = 60;
const seeds = [1, 2, 3];

/** What a number comes to on average, whatever the seed. */
const average = (outcomes: readonly Outcome[], of: (outcome: Outcome) => number): number =>
  outcomes.reduce((sum, outcome) => sum + of(outcome), 0) / outcomes.length;

const simulated = (scenario: Omit<Scenario, 'seed'>): readonly Outcome[] =>
  seeds.map((seed) => simulateAccount({ seed, ...scenario }));

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
    const outcomes = simulated({ minutes: 5, headers, callers, ...scenario, limits });
    for (const outcome of outcomes) {
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
    const limits = { ...requests, limitChanges };
    for (const outcome of simulated({ minutes: 8, headers, callers, limits, ...who })) {
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
    const limits = { ...requests, limitKind: 'minute' } as const;
    for (const outcome of simulated({ minutes: 6, headers, callers, limits, ...who })) {
      expect(shareUsed(outcome, 1, 6)).toBeGreaterThanOrEqual(0.95);
      expect(outcome.refusedShare).toBeLessThanOrEqual(0.02);
    }
  });
});

describe('calls of which a fiftieth is refused whatever their pace', () => {
  const strayShare = 0.02;
  const many = { callers: 100, minutes: 8, strayShare };

  it.each<[string, Partial<Scenario>]>([
    ['one worker', {}],
    ['one worker, of a fixed number', { concurrency: 'fixed' }],
    ['two workers in touch', { ...twoInTouch, callers: 50 }],
  ])('of %s keep most of their pace where nothing limits them', (_, who) => {
    // Without an eye for strays it is less than a tenth.
    const outcomes = simulated({ ...many, limits: {}, ...who });
    expect(average(outcomes, (outcome) => shareUsed(outcome, 2, 8, 3000))).toBeGreaterThan(0.6);
  });

  it('keep most of it where as many fail besides', () => {
    // Without an eye for what is usual it is a fifth.
    const outcomes = simulated({ ...many, limits: {}, failureShare: 0.045 });
    expect(average(outcomes, (outcome) => shareUsed(outcome, 2, 8, 3000))).toBeGreaterThan(0.6);
  });

  describe('where workers are lost again and again', () => {
    const storm = { ...many, control: true, failureShare: 0.045, lifeSeconds: [10, 70] } as const;

    it.each<[string, Partial<Scenario>]>([
      ['one worker', {}],
      ['two workers', { workers: 2, callers: 50 }],
    ])('of %s keep most of their pace where nothing limits them', (_, who) => {
      // Where each worker begins anew it is a thirtieth.
      const outcomes = simulated({ ...storm, limits: {}, ...who });
      expect(average(outcomes, (outcome) => shareUsed(outcome, 2, 8, 3000))).toBeGreaterThan(0.5);
    });

    it('use a limit', () => {
      // Where each worker begins anew it is a tenth.
      const outcomes = simulated({ ...storm, limits: requests });
      expect(average(outcomes, (outcome) => shareUsed(outcome, 2, 8))).toBeGreaterThan(0.5);
      for (const outcome of outcomes)
        expect(outcome.refusedShare).toBeLessThanOrEqual(strayShare + 0.02);
    });

    it('use a limit where nothing else goes wrong', () => {
      const calm = { ...storm, strayShare: 0, failureShare: 0 };
      for (const outcome of simulated({ ...calm, limits: requests })) {
        expect(shareUsed(outcome, 1, 8)).toBeGreaterThanOrEqual(0.9);
        expect(outcome.refusedShare).toBeLessThanOrEqual(0.02);
      }
    });
  });

  it.each<[string, Partial<Scenario>]>([['one worker', {}], ...inTouch])(
    'of %s use a limit, and are hardly more often refused for it',
    (_, who) => {
      for (const outcome of simulated({ ...many, limits: requests, ...who })) {
        expect(shareUsed(outcome, 2, 8)).toBeGreaterThan(0.6);
        expect(outcome.refusedShare).toBeLessThanOrEqual(strayShare + 0.02);
      }
    },
  );
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
