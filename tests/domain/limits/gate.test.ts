import { beforeEach, describe, expect, it } from 'vitest';
import type { Call, Permit, Served } from '../../../domain/limits/call.js';
import { Gate } from '../../../domain/limits/gate.js';

const call = (changes: Partial<Call> = {}): Call => ({
  run: 'a',
  characters: 400,
  maxCompletion: 100,
  concurrency: 'fixed',
  deadlineMs: 60_000,
  ...changes,
});
const used = { prompt: 100, completion: 100 };

let gate: Gate;
beforeEach(() => {
  gate = new Gate(0);
});

/** Joins and serves. */
function send(nowMs: number, count = 1, changes: Partial<Call> = {}): Served {
  for (let n = 0; n < count; n += 1) gate.join(call(changes));
  return gate.serve(nowMs);
}

function only(served: Served): Permit {
  const [permit] = served.permits;
  if (permit === undefined || served.permits.length > 1) throw new Error('not one permit');
  return permit;
}

describe('a gate', () => {
  it('sends calls of a fixed number at once', () => {
    const served = send(0, 50);
    expect(served.permits).toHaveLength(50);
    expect(served.wakeAtMs).toBeNull();
    expect(gate.counts).toMatchObject({ inFlight: 50, waiting: 0 });
  });

  it('starts slowly otherwise, and lets more go while calls wait', () => {
    const first = send(0, 50, { concurrency: 'auto' });
    expect(first.permits).toHaveLength(4);
    expect(gate.hold).toBe('concurrency');
    const again = gate.serve(first.wakeAtMs ?? 0);
    expect(again.permits).toHaveLength(1);
    for (const permit of [...first.permits, ...again.permits])
      gate.accepted(permit, used, undefined, 1000);
    expect(gate.serve(1000).permits.length).toBeGreaterThan(0);
  });

  it('does not grow while the provider is in trouble', () => {
    const first = send(0, 50, { concurrency: 'auto' });
    for (const failing of first.permits) gate.failed(failing, undefined, 0);
    expect(gate.serve(0).permits).toHaveLength(4);
    expect(gate.serve(4000).permits).toHaveLength(0);
    gate.serve(5000);
    expect(gate.serve(9000).permits.length).toBeGreaterThan(2);
  });

  it('serves the runs in turn', () => {
    gate.refused(only(send(0)), undefined, 5000, 10);
    for (const run of ['a', 'a', 'a', 'b']) gate.join(call({ run }));
    const runs: string[] = [];
    for (let nowMs = 5010; runs.length < 4; nowMs += 1000)
      runs.push(...gate.serve(nowMs).permits.map((permit) => permit.call.run));
    expect(runs).toEqual(['a', 'b', 'a', 'a']);
  });

  it('sends a refused call again before those that came later', () => {
    const refused = only(send(0, 1, { characters: 1 }));
    gate.join(call());
    gate.refused(refused, undefined, 100, 10);
    gate.rejoin(refused.call);
    expect(only(gate.serve(110)).call).toBe(refused.call);
  });

  it('sends nothing before the time that a refusal names', () => {
    const [first, second] = send(0, 2).permits;
    if (first) gate.accepted(first, used, undefined, 5);
    if (second) gate.refused(second, undefined, 20_000, 10);
    expect(gate.pauseMs(10)).toBe(20_000);
    const held = send(15_000);
    expect(held).toMatchObject({ permits: [], wakeAtMs: 20_010 });
    expect(gate.hold).toBe('retry-after');
    expect(gate.serve(20_010).permits).toHaveLength(1);
  });

  it('turns away what would have to wait too long, and says for how long', () => {
    const [first, second] = send(0, 2).permits;
    if (first) gate.accepted(first, used, undefined, 5);
    if (second) gate.refused(second, undefined, 3_600_000, 10);
    const { turnedAway, permits } = send(20);
    expect(permits).toEqual([]);
    expect(turnedAway).toMatchObject([{ reason: 'rate-limit', retryAfterMs: 3_599_990 }]);
    expect(gate.counts.waiting).toBe(0);
  });

  it('turns away a call whose time is up, when it is up', () => {
    const first = send(0, 5, { concurrency: 'auto', deadlineMs: 30 });
    expect(first.wakeAtMs).toBe(30);
    expect(gate.serve(30).turnedAway).toMatchObject([{ reason: 'rate-limit' }]);
  });

  it('tries one call at a time, ever more rarely, while everything is refused', () => {
    let nowMs = 0;
    const pauses: number[] = [];
    let permit = only(send(nowMs, 1, { deadlineMs: Infinity }));
    while (pauses.length < 12) {
      gate.refused(permit, undefined, undefined, nowMs);
      gate.rejoin(permit.call);
      gate.join(call({ deadlineMs: Infinity }));
      const held = gate.serve(nowMs);
      expect(held.permits).toEqual([]);
      expect(gate.hold).toBe('refused');
      pauses.push((held.wakeAtMs ?? 0) - nowMs);
      nowMs = held.wakeAtMs ?? 0;
      permit = only(gate.serve(nowMs));
    }
    expect(pauses.slice(0, 5)).toEqual([1000, 2000, 4000, 8000, 8000]);
    expect(pauses.toSorted((a, b) => a - b)).toEqual(pauses);
    expect(pauses.at(-1)).toBeLessThanOrEqual(60_000);
    gate.accepted(permit, used, undefined, nowMs + 10);
    expect(gate.serve(nowMs + 10).permits.length).toBeGreaterThan(1);
  });

  it('takes no single refusal for a limit before it has met one', () => {
    const [, second] = send(0, 2).permits;
    if (second) gate.refused(second, undefined, undefined, 10);
    expect(gate.requests.measured).toBeNull();
    expect(send(20, 10).permits).toHaveLength(10);
  });

  it('rests for a few calls once it has met a limit', () => {
    const { permits } = send(0, 6);
    for (const permit of permits.slice(1, 4)) gate.refused(permit, undefined, undefined, 10);
    const { wakeAtMs } = send(20);
    expect(gate.hold).toBe('requests');
    expect(wakeAtMs).toBeGreaterThanOrEqual(1010);
  });

  it('turns everybody away for a while when the credit is spent', () => {
    const [first] = send(0, 2).permits;
    if (first) gate.quotaSpent(first, 10);
    expect(send(10).turnedAway).toMatchObject([{ reason: 'quota', retryAfterMs: null }]);
    expect(send(20_000).permits).toHaveLength(1);
  });

  it('keeps to what the provider states', () => {
    gate.accepted(only(send(0)), used, { limitRequests: 60, limitTokens: 600_000 }, 10);
    expect([gate.requests.told, gate.tokens.told]).toEqual([60, 600_000]);
    send(1000, 100, { deadlineMs: Infinity });
    let sent = gate.counts.inFlight;
    for (let nowMs = 1000; nowMs < 31_000; nowMs += 10) sent += gate.serve(nowMs).permits.length;
    expect(sent).toBeGreaterThanOrEqual(29);
    expect(sent).toBeLessThanOrEqual(32);
  });

  it('gives back what a call reserved and did not use', () => {
    gate.accepted(only(send(0)), used, { limitTokens: 60_000 }, 10);
    const dear = only(send(2000, 1, { maxCompletion: 100, characters: 80_000 }));
    expect(send(2010).permits).toEqual([]);
    expect(gate.hold).toBe('tokens');
    gate.accepted(dear, { prompt: 10, completion: 10 }, undefined, 2020);
    expect(gate.serve(2020).permits).toHaveLength(1);
  });

  it('does what the workers together have agreed on', () => {
    const share = { told: null, measured: 60 };
    gate.heed({ requests: share, tokens: { told: null, measured: null }, pauseMs: 2000 }, 0);
    expect(send(1000).wakeAtMs).toBe(2000);
    expect(gate.serve(2000).permits).toHaveLength(1);
    expect(send(2010).wakeAtMs).toBeGreaterThan(2500);
    const beats: unknown = expect.any(Number);
    expect(gate.requests).toEqual({ told: null, measured: 60, isGuess: false, beats, proven: 1 });
  });

  it('takes over what others know of a limit, and of refusals that have nothing to do with it', () => {
    expect(gate.strays).toBeNull();
    const standing = { isGuess: true, beats: 20, proven: 2 };
    const tokens = { told: null, measured: null };
    gate.heed(
      { requests: { told: null, measured: 60, standing }, tokens, pauseMs: 0, strays: 4 },
      0,
    );
    expect(gate.requests).toEqual({ told: null, measured: 60, ...standing });
    expect(gate.strays).toBe(4);
    // It knows by itself from now on.
    gate.heed({ requests: tokens, tokens, pauseMs: 0, strays: 6 }, 20);
    expect(gate.strays).toBe(4);
  });

  it('forgets a call that is no longer wanted', () => {
    const unwanted = call({ concurrency: 'auto' });
    for (let n = 0; n < 4; n += 1) gate.join(call());
    gate.join(unwanted);
    gate.serve(0);
    gate.leave(unwanted);
    expect(gate.serve(10)).toEqual({ permits: [], turnedAway: [], wakeAtMs: null });
    expect(gate.hold).toBeNull();
  });
});
