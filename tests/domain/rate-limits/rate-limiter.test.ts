import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Call,
  type Permit,
  type Served,
  RateLimiter,
} from '../../../domain/rate-limits/rate-limiter.js';

const call = (changes: Partial<Call> = {}): Call => ({
  run: 'a',
  characters: 400,
  maxCompletion: 100,
  concurrency: 'fixed',
  deadlineMs: 60_000,
  ...changes,
});
const used = { prompt: 100, completion: 100 };

let limiter: RateLimiter;
beforeEach(() => {
  limiter = new RateLimiter(0);
});

/** Joins and serves. */
function send(nowMs: number, count = 1, changes: Partial<Call> = {}): Served {
  for (let n = 0; n < count; n += 1) limiter.join(call(changes));
  return limiter.serve(nowMs);
}

function only(served: Served): Permit {
  const [permit] = served.permits;
  if (permit === undefined || served.permits.length > 1) throw new Error('not one permit');
  return permit;
}

describe('a rate limiter', () => {
  it('sends calls of a fixed number at once', () => {
    const served = send(0, 50);
    expect(served.permits).toHaveLength(50);
    expect(served.wakeAtMs).toBeNull();
    expect([limiter.state.inFlight, limiter.state.waiting]).toEqual([50, 0]);
  });

  it('cuts the pace at once below a limit that a refusal states', () => {
    const [, second] = send(0, 50).permits;
    if (second) limiter.refused(second, { exceeded: 'requests', exceededLimit: 20 }, undefined, 10);
    expect(limiter.state.requests).toMatchObject({ advertised: null });
    const estimated = limiter.state.requests.estimated ?? 0;
    expect(estimated <= 20 && estimated > 15).toBe(true);
  });

  it('starts slowly otherwise, and lets more go while calls wait', () => {
    const first = send(0, 50, { concurrency: 'auto' });
    expect(first.permits).toHaveLength(4);
    expect(limiter.state.waitsFor).toBe('concurrency');
    const again = limiter.serve(first.wakeAtMs ?? 0);
    expect(again.permits).toHaveLength(1);
    for (const permit of [...first.permits, ...again.permits])
      limiter.accepted(permit, used, undefined, 1000);
    expect(limiter.serve(1000).permits.length).toBeGreaterThan(0);
  });

  it('lets calls of a fixed number pass those that wait for room in flight', () => {
    expect(send(0, 50, { concurrency: 'auto' }).permits).toHaveLength(4);
    const { permits } = send(0, 5, { run: 'b' });
    expect(permits.map(({ call: { run } }) => run)).toEqual(['b', 'b', 'b', 'b', 'b']);
    expect(limiter.state).toMatchObject({ waiting: 46, waitsFor: 'concurrency' });
  });

  it('does not grow while the provider fails many calls', () => {
    const first = send(0, 50, { concurrency: 'auto' });
    first.permits.forEach(() => limiter.failed(undefined, 0));
    expect(limiter.serve(0).permits).toHaveLength(4);
    expect(limiter.serve(4000).permits).toHaveLength(0);
    limiter.serve(5000);
    expect(limiter.serve(9000).permits.length).toBeGreaterThan(2);
  });

  it('serves the runs in turn', () => {
    limiter.refused(only(send(0)), undefined, 5000, 10);
    for (const run of ['a', 'a', 'a', 'b']) limiter.join(call({ run }));
    const runs: string[] = [];
    for (let nowMs = 5010; runs.length < 4; nowMs += 1000)
      runs.push(...limiter.serve(nowMs).permits.map((permit) => permit.call.run));
    expect(runs).toEqual(['a', 'b', 'a', 'a']);
  });

  it('sends a refused call again before those that came later', () => {
    const refused = only(send(0, 1, { characters: 1 }));
    limiter.join(call());
    limiter.refused(refused, undefined, 100, 10);
    limiter.rejoin(refused.call);
    expect(only(limiter.serve(110)).call).toBe(refused.call);
  });

  it('sends nothing before the time that a refusal names', () => {
    const [first, second] = send(0, 2).permits;
    if (first) limiter.accepted(first, used, undefined, 5);
    if (second) limiter.refused(second, undefined, 20_000, 10);
    expect(limiter.report('worker', 10).pauseMs).toBe(20_000);
    const held = send(15_000);
    expect(held).toMatchObject({ permits: [], wakeAtMs: 20_010 });
    expect(limiter.state.waitsFor).toBe('retry-after');
    expect(limiter.serve(20_010).permits).toHaveLength(1);
  });

  it('defers what would have to wait too long, and says for how long', () => {
    const [first, second] = send(0, 2).permits;
    if (first) limiter.accepted(first, used, undefined, 5);
    if (second) limiter.refused(second, undefined, 3_600_000, 10);
    const { deferrals, permits } = send(20);
    expect(permits).toEqual([]);
    expect(deferrals).toMatchObject([{ reason: 'rate-limit', retryAfterMs: 3_599_990 }]);
    expect(limiter.state.waiting).toBe(0);
  });

  it('defers a call whose time is up, when it is up', () => {
    const first = send(0, 5, { concurrency: 'auto', deadlineMs: 30 });
    expect(first.wakeAtMs).toBe(30);
    expect(limiter.serve(30).deferrals).toMatchObject([{ reason: 'rate-limit' }]);
  });

  it('tries one call at a time, ever more rarely, while everything is refused', () => {
    let nowMs = 0;
    const pauses: number[] = [];
    let permit = only(send(nowMs, 1, { deadlineMs: Infinity }));
    while (pauses.length < 12) {
      limiter.refused(permit, undefined, undefined, nowMs);
      limiter.rejoin(permit.call);
      limiter.join(call({ deadlineMs: Infinity }));
      const held = limiter.serve(nowMs);
      expect(held.permits).toEqual([]);
      expect(limiter.state.waitsFor).toBe('refused');
      pauses.push((held.wakeAtMs ?? 0) - nowMs);
      nowMs = held.wakeAtMs ?? 0;
      permit = only(limiter.serve(nowMs));
    }
    expect(pauses.slice(0, 5)).toEqual([1000, 2000, 4000, 8000, 8000]);
    expect(pauses.toSorted((a, b) => a - b)).toEqual(pauses);
    expect(pauses.at(-1)).toBeLessThanOrEqual(60_000);
    limiter.accepted(permit, used, undefined, nowMs + 10);
    expect(limiter.serve(nowMs + 10).permits.length).toBeGreaterThan(1);
  });

  it('takes no single refusal for a limit before it has met one', () => {
    const [, second] = send(0, 2).permits;
    if (second) limiter.refused(second, undefined, undefined, 10);
    expect(limiter.state.requests.estimated).toBeNull();
    expect(send(20, 10).permits).toHaveLength(10);
  });

  it('rests for a few calls once it has met a limit', () => {
    const { permits } = send(0, 6);
    for (const permit of permits.slice(1, 4)) limiter.refused(permit, undefined, undefined, 10);
    const { wakeAtMs } = send(20);
    expect(limiter.state.waitsFor).toBe('requests');
    expect(wakeAtMs).toBeGreaterThanOrEqual(1010);
  });

  it('defers every call for a while when the credit is spent', () => {
    const [first] = send(0, 2).permits;
    if (first) limiter.quotaSpent(10);
    expect(send(10).deferrals).toMatchObject([{ reason: 'quota', retryAfterMs: null }]);
    expect(send(20_000).permits).toHaveLength(1);
  });

  it('keeps to what the provider states', () => {
    limiter.accepted(only(send(0)), used, { limitRequests: 60, limitTokens: 600_000 }, 10);
    expect([limiter.state.requests.advertised, limiter.state.tokens.advertised]).toEqual([
      60, 600_000,
    ]);
    send(1000, 100, { deadlineMs: Infinity });
    let sent = limiter.state.inFlight;
    for (let nowMs = 1000; nowMs < 31_000; nowMs += 10) sent += limiter.serve(nowMs).permits.length;
    expect(sent).toBeGreaterThanOrEqual(29);
    expect(sent).toBeLessThanOrEqual(32);
  });

  it('gives back what a call reserved and did not use', () => {
    limiter.accepted(only(send(0)), used, { limitTokens: 60_000 }, 10);
    const dear = only(send(2000, 1, { maxCompletion: 100, characters: 80_000 }));
    expect(send(2010).permits).toEqual([]);
    expect(limiter.state.waitsFor).toBe('tokens');
    limiter.accepted(dear, { prompt: 10, completion: 10 }, undefined, 2020);
    expect(limiter.serve(2020).permits).toHaveLength(1);
  });

  it('does what the workers together have agreed on', () => {
    const tokens = { advertised: null, estimated: null };
    const evidence = { isGuess: false, probingSeconds: 0, acceptedRatio: 1 };
    const requests = { advertised: null, estimated: 60, evidence };
    limiter.applyShare({ requests, tokens, pauseMs: 2000, spurious429s: null, outage: null }, 0);
    expect(send(1000).wakeAtMs).toBe(2000);
    expect(limiter.serve(2000).permits).toHaveLength(1);
    expect(send(2010).wakeAtMs).toBeGreaterThan(2500);
    const probingSeconds: unknown = expect.any(Number);
    expect(limiter.state.requests).toEqual({
      ...requests,
      evidence: { ...evidence, probingSeconds },
    });
  });

  it('takes over what others know of a limit, and of spurious 429s', () => {
    expect(limiter.state.spurious429s).toBeNull();
    const evidence = { isGuess: true, probingSeconds: 20, acceptedRatio: 2 };
    const requests = { advertised: null, estimated: 60, evidence };
    const tokens = { advertised: null, estimated: null };
    limiter.applyShare({ requests, tokens, pauseMs: 0, spurious429s: 4, outage: null }, 0);
    expect(limiter.state.requests).toEqual(requests);
    expect(limiter.state.spurious429s).toBe(4);
    // It knows by itself from now on.
    limiter.applyShare({ requests: tokens, tokens, pauseMs: 0, spurious429s: 6, outage: null }, 20);
    expect(limiter.state.spurious429s).toBe(4);
  });

  it('forgets a call that is no longer wanted', () => {
    const unwanted = call({ concurrency: 'auto' });
    for (let n = 0; n < 4; n += 1) limiter.join(call());
    limiter.join(unwanted);
    limiter.serve(0);
    limiter.leave(unwanted);
    expect(limiter.serve(10)).toEqual({ permits: [], deferrals: [], wakeAtMs: null });
    expect(limiter.state.waitsFor).toBeNull();
  });
});
