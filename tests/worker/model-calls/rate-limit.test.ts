import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallStage, ModelPort, ModelRequest } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { runIdSchema } from '../../../domain/ids.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';
import { createModel } from '../../../worker/adapters/model-apis/model.js';
import { keysForAll } from '../../support/model-calls/keys-for-all.js';
import { accountOf, rateLimiting } from '../../../worker/model-calls/rate-limit.js';
import { FakeAccounts } from '../../support/fakes/fake-accounts.js';
import { FakeModel } from '../../support/fakes/fake-model.js';
import { startHttpEndpoint, type HttpEndpoint } from '../../support/fakes/http-endpoint.js';

const baseUrl = 'http://127.0.0.1:1/v1';
const key = { apiKey: 'sk-secret', keyIsFor: baseUrl };
const keys = keysForAll(key);
const request = (changes: Partial<ModelRequest> = {}): ModelRequest => ({
  ...defaultRunConfig.model,
  baseUrl,
  model: 'm',
  messages: [{ role: 'user', content: 'Which?' }],
  ...changes,
});
const slowDown = (retryAfterMs?: number): PortFailure =>
  new PortFailure('ModelRateLimited', 'http://127.0.0.1:1/v1 (model m) says: slow down.', {
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });

let accounts: FakeAccounts;
let signal: AbortSignal;
beforeEach(() => {
  vi.useFakeTimers();
  accounts = new FakeAccounts();
  signal = new AbortController().signal;
});
afterEach(() => vi.useRealTimers());

const limited = (model: ModelPort): ModelPort =>
  rateLimiting({ keys, accounts, worker: 'a' })(model);

describe('a limited model', () => {
  it('answers as the model does', async () => {
    const model = new FakeModel('yes');
    expect(await limited(model).complete(request(), signal)).toMatchObject({ content: 'yes' });
    expect(model.requests).toEqual([request()]);
  });

  it('asks again by itself when it is refused, when the provider says so', async () => {
    const model = new FakeModel('first', slowDown(5000), 'second');
    const one = limited(model);
    await one.complete(request(), signal);
    const second = one.complete(request(), signal);
    await vi.advanceTimersByTimeAsync(4990);
    expect(model.requests).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(20);
    expect(await second).toMatchObject({ content: 'second' });
  });

  it('tells when a call waits, when it is sent, and when it is refused', async () => {
    const told: (CallStage | PortFailure)[] = [];
    const refusal = slowDown();
    const model = new FakeModel(refusal, 'yes');
    const call = limited(model).complete(request(), signal, (stage, failed) =>
      told.push(failed ?? stage),
    );
    await vi.advanceTimersByTimeAsync(30_000);
    await call;
    const once: CallStage[] = ['waits for its turn', 'calls the model'];
    expect(told).toEqual([...once, refusal, ...once]);
  });

  it('gives up early what the provider will not take for an hour', async () => {
    const model = new FakeModel(slowDown(3_600_000));
    await expect(limited(model).complete(request(), signal)).rejects.toMatchObject({
      type: 'ModelDeferred',
      options: { reason: 'rate-limit', retryAfterMs: 3_600_000 },
    });
  });

  it('gives up after a minute of refusals', async () => {
    const model = new FakeModel(...Array.from({ length: 20 }, () => slowDown()));
    const call = limited(model)
      .complete(request(), signal)
      .catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await call).toMatchObject({
      type: 'ModelDeferred',
      // In the provider's words.
      message: expect.stringContaining('slow down') as unknown,
      options: { reason: 'rate-limit' },
    });
    expect(model.requests.length).toBeLessThan(16);
  });

  it('defers all calls for a while when the credit is spent', async () => {
    const spent = new PortFailure('ModelQuotaSpent', 'no credit');
    const one = limited(new FakeModel(spent, spent, 'rich again'));
    for (let n = 0; n < 3; n += 1) {
      await expect(one.complete(request(), signal)).rejects.toMatchObject({
        type: 'ModelDeferred',
        options: { reason: 'quota' },
      });
    }
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await one.complete(request(), signal)).toMatchObject({ content: 'rich again' });
  });

  it('counts against a call what is refused while others are accepted', async () => {
    const large = 'large '.repeat(100);
    const model: ModelPort = {
      complete: (asked) =>
        JSON.stringify(asked.messages).includes('large')
          ? Promise.reject(slowDown())
          : new FakeModel('yes').complete(asked),
    };
    const one = limited(model);
    const call = one
      .complete(request({ messages: [{ role: 'user', content: large }] }), signal)
      .catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await call).toMatchObject({
      type: 'ModelDeferred',
      options: { reason: 'rate-limit', counts: true, outage: 'ModelRateLimited' },
    });
    expect(await one.complete(request(), signal)).toMatchObject({ content: 'yes' });
  });

  it('does so too where only this call exceeds the credit', async () => {
    const spent = new PortFailure('ModelQuotaSpent', 'can only afford 10 tokens');
    const one = limited(new FakeModel(spent, 'the probe', 'another'));
    await expect(one.complete(request(), signal)).rejects.toMatchObject({
      options: { reason: 'quota', counts: true },
    });
    expect(await one.complete(request(), signal)).toMatchObject({ content: 'another' });
  });

  it('sends one probe for all while the provider fails, and nothing else', async () => {
    const down = new PortFailure('ModelUnavailable', 'cannot answer now');
    const model = new FakeModel(...Array.from({ length: 5 }, () => down), 'up', 'a', 'b', 'c');
    const one = limited(model);
    for (let n = 0; n < 2; n += 1) await expect(one.complete(request(), signal)).rejects.toBe(down);
    // The third failure in a row sends a probe, and that fails.
    const deferred = { type: 'ModelDeferred', options: { reason: 'outage' } };
    for (let n = 0; n < 3; n += 1)
      await expect(one.complete(request(), signal)).rejects.toMatchObject(deferred);
    expect(model.requests).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(5_000);
    await expect(one.complete(request(), signal)).rejects.toMatchObject(deferred);
    expect(model.requests).toHaveLength(5);
    await vi.advanceTimersByTimeAsync(10_000);
    const replies = await Promise.all([1, 2, 3].map(() => one.complete(request(), signal)));
    expect(replies.map(({ content }) => content)).toEqual(['a', 'b', 'c']);
    expect(model.requests).toHaveLength(9);
  });

  it('sends what a person asks with to find out whether the provider is mended', async () => {
    const down = new PortFailure('ModelRefusedKey', 'wants a key');
    const model = new FakeModel(down, down, down, 'mended', 'a');
    const one = limited(model);
    await expect(one.complete(request(), signal)).rejects.toMatchObject({ type: 'ModelDeferred' });
    await expect(one.complete(request({ isProbe: true }), signal)).rejects.toBe(down);
    expect(await one.complete(request({ isProbe: true }), signal)).toMatchObject({
      content: 'mended',
    });
    expect(await one.complete(request(), signal)).toMatchObject({ content: 'a' });
  });

  it('asks again where the key is accepted again before the refusal is examined', async () => {
    const refused = new PortFailure('ModelRefusedKey', 'wants a key');
    // The call, the probe, the call again.
    const mended = limited(new FakeModel(refused, 'pong', 'a'));
    expect(await mended.complete(request(), signal)).toMatchObject({ content: 'a' });
    const alone = limited(new FakeModel(refused, 'pong', refused, 'pong'));
    await expect(alone.complete(request(), signal)).rejects.toBe(refused);
  });

  it('leaves a failure to a call that fails alone, however often', async () => {
    const down = new PortFailure('ModelUnavailable', 'cannot answer now');
    const model: ModelPort = {
      complete: (asked) =>
        JSON.stringify(asked.messages).includes('poison')
          ? Promise.reject(down)
          : new FakeModel('yes').complete(asked),
    };
    const one = limited(model);
    const poison = request({ messages: [{ role: 'user', content: 'poison' }] });
    for (let n = 0; n < 20; n += 1) await expect(one.complete(poison, signal)).rejects.toBe(down);
    expect(await one.complete(request(), signal)).toMatchObject({ content: 'yes' });
  });

  it('leaves other failures to its caller', async () => {
    const refused = new PortFailure('ModelRejectedRequest', 'no such setting');
    const down = new PortFailure('ModelUnavailable', 'down', { retryAfterMs: 1 });
    const other = new Error('odd');
    const one = limited(new FakeModel(refused, down, other));
    for (const failure of [refused, down, other]) {
      await expect(one.complete(request(), signal)).rejects.toBe(failure);
    }
  });

  it('forgets a waiting call that is no longer wanted', async () => {
    const model = new FakeModel('first', slowDown(5000), 'third');
    const one = limited(model);
    await one.complete(request(), signal);
    const leaving = new AbortController();
    const call = one.complete(request(), leaving.signal);
    await vi.advanceTimersByTimeAsync(100);
    leaving.abort(new Error('cancelled'));
    await expect(call).rejects.toThrow('cancelled');
    await expect(one.complete(request(), leaving.signal)).rejects.toThrow('cancelled');
    await vi.advanceTimersByTimeAsync(5000);
    expect(model.requests).toHaveLength(2);
  });

  it('serves runs in turn', async () => {
    const asked: string[] = [];
    const model: ModelPort = {
      complete: ({ run = '' }) => {
        asked.push(run);
        return asked.length === 2
          ? Promise.reject(slowDown(1000))
          : new FakeModel('yes').complete(request());
      },
    };
    const one = limited(model);
    const runs = ['a', 'a', 'a', 'a', 'b'].map((run) => runIdSchema.parse(run));
    await one.complete(request(), signal);
    await Promise.all([
      ...runs.map((run) => one.complete(request({ run, concurrency: 'auto' }), signal)),
      vi.advanceTimersByTimeAsync(30_000),
    ]);
    expect(asked.slice(1).lastIndexOf('b')).toBeLessThan(5);
    expect(asked.filter((run) => run === 'a')).toHaveLength(5);
  });

  it('tells the other workers at once and every three seconds what it sees, and then that it rests', async () => {
    const one = limited(new FakeModel('yes', 'yes'));
    await one.complete(request(), signal);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(accounts.reports.map(({ report }) => report.accepted)).toEqual([0, 1, 0]);
    expect(accounts.reports[1]).toMatchObject({
      account: { name: '127.0.0.1:1, model m' },
      report: { overMs: 3000, acceptedTokens: 110, inFlight: 0 },
    });
    await one.complete(request(), signal);
    await vi.advanceTimersByTimeAsync(3000);
    expect(accounts.reports).toHaveLength(5);
  });

  it('claims no share when it comes back from a rest', async () => {
    const one = limited(new FakeModel('first', slowDown(1000), 'again', 'later', 'last'));
    await one.complete(request(), signal);
    await Promise.all([one.complete(request(), signal), vi.advanceTimersByTimeAsync(9000)]);
    expect(accounts.reports[2]?.report.requests.estimated).toBeGreaterThan(0);
    await vi.advanceTimersByTimeAsync(30_000);
    const before = accounts.reports.length;
    const { share } = accounts;
    accounts.share = null;
    await one.complete(request(), signal);
    await vi.advanceTimersByTimeAsync(3000);
    accounts.share = share;
    await Promise.all([one.complete(request(), signal), vi.advanceTimersByTimeAsync(6000)]);
    const estimated = accounts.reports.slice(before).map(({ report }) => report.requests.estimated);
    // Until somebody has answered.
    expect(estimated).toEqual([null, null, null, expect.any(Number)]);
  });

  it('does what the workers have agreed on, and goes on by itself where nobody answers', async () => {
    const { share } = accounts;
    const model = new FakeModel('yes', 'yes', 'yes');
    const one = limited(model);
    await one.complete(request(), signal);
    accounts.share = share && { ...share, pauseMs: 20_000 };
    await vi.advanceTimersByTimeAsync(3000);
    accounts.share = null;
    const held = one.complete(request(), signal);
    await vi.advanceTimersByTimeAsync(19_900);
    expect(model.requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(200);
    await held;
    await vi.advanceTimersByTimeAsync(3000);
    expect(await one.complete(request(), signal)).toMatchObject({ content: 'yes' });
  });
});

describe('Retry-After', () => {
  let endpoint: HttpEndpoint | undefined;
  beforeEach(() => vi.useRealTimers());
  afterEach(() => endpoint?.close());

  const hour = 3_600_000;
  /** As it is when the reply is sent. */
  const inADay = (): string => new Date(Date.now() + 24 * hour).toUTCString();
  it.each<[string, string | (() => string), number]>([
    ['a day', '86400', 24 * hour],
    ['a date tomorrow', inADay, 24 * hour],
    ['a date gone by', 'Wed, 21 Oct 2015 07:28:00 GMT', 1000],
    ['rubbish', 'soon', 1000],
    ['less than nothing', '-5', 1000],
    ['nothing', '', 1000],
  ])('of %s makes a call wait, and none that has no time to', async (_, retryAfter, waitMs) => {
    endpoint = await startHttpEndpoint((response) => {
      const text = typeof retryAfter === 'string' ? retryAfter : retryAfter();
      response.writeHead(429, { 'retry-after': text }).end('{}');
    });
    const model = createModel(keysForAll({ apiKey: undefined, keyIsFor: endpoint.url }));
    const impatient = rateLimiting({ keys, accounts, worker: 'a', maxWaitMs: 900 })(model);
    const failure: unknown = await impatient
      .complete(request({ baseUrl: endpoint.url }), signal)
      .catch((error: unknown) => error);
    if (!(failure instanceof PortFailure)) throw failure;
    expect(failure.type).toBe('ModelDeferred');
    expect(failure.options.retryAfterMs).toBeGreaterThan(waitMs - 2000);
    expect(failure.options.retryAfterMs).toBeLessThanOrEqual(waitMs);
    expect(endpoint.received).toHaveLength(1);
  });
});

describe('an account', () => {
  it('is one of an endpoint, a key and a model, and names no key', () => {
    const same = [request(), request({ baseUrl: `${baseUrl}/`, run: runIdSchema.parse('r') })];
    expect(new Set(same.map((one) => accountOf(keys, one).workflowId)).size).toBe(1);
    const others = [
      accountOf(keys, request()),
      accountOf(keysForAll({ ...key, apiKey: 'sk-other' }), request()),
      accountOf(keys, request({ model: "o'3/*" })),
      accountOf(keys, request({ baseUrl: 'http://127.0.0.1:1/v2' })),
      accountOf(keys, request({ baseUrl: 'http://someone:secret@127.0.0.1:1/v1?token=secret' })),
    ];
    expect(new Set(others.map(({ workflowId }) => workflowId)).size).toBe(others.length);
    const all = JSON.stringify(others);
    expect(all).not.toMatch(/secret|sk-/);
    expect(others[2]?.workflowId).toMatch(/^account\/127\.0\.0\.1:1\/o%273%2F\*\/[0-9a-f]{12}$/);
  });
});
