import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { modelApis } from '../../../../domain/model-api.js';
import { startSimulatedModel } from '../../../../simulator/simulated-model.js';
import { createModel } from '../../../../worker/adapters/model-apis/model.js';
import {
  answer,
  apiKey,
  chatEndpoint,
  complete,
  error,
  failureOf,
  json,
  request,
} from '../../../support/model-calls/chat-endpoint.js';
import { keysForAll } from '../../../support/model-calls/keys-for-all.js';

const { serve, received } = chatEndpoint();
const { signal } = new AbortController();

describe('the package for chat completions', () => {
  beforeEach(() => {
    vi.stubEnv('OPENAI_API_KEY', 'of-the-environment');
    vi.stubEnv('OPENAI_ADMIN_KEY', 'of-the-environment');
    vi.stubEnv('OPENAI_ORG_ID', 'of-the-environment');
    vi.stubEnv('OPENAI_PROJECT_ID', 'of-the-environment');
    vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'x-secret: of-the-environment');
    vi.stubEnv('OPENAI_LOG', 'debug');
  });
  afterEach(() => vi.unstubAllEnvs());

  it('sends nothing that it finds in the environment, and no facts of the machine', async () => {
    await complete(await serve(json(200, answer)));
    const [sent] = received();
    expect(JSON.stringify(sent)).not.toContain('of-the-environment');
    expect(Object.keys(sent?.headers ?? {}).sort()).toEqual([
      ...['accept', 'authorization', 'connection', 'content-length', 'content-type'],
      ...['host', 'user-agent'],
    ]);
  });

  it.each([500, 503, 429, 408, 409])('sends a request once, also after %i', async (status) => {
    const url = await serve(json(status, error(null, 'x'), { 'x-should-retry': 'true' }));
    await failureOf(complete(url));
    expect(received()).toHaveLength(1);
  });

  it.each([
    ['?tenant=a', '/v1/chat/completions?tenant=a', 'authorization', `Bearer ${apiKey}`],
    [
      '?api-version=preview',
      '/v1/chat/completions?api-version=preview',
      'authorization',
      `Bearer ${apiKey}`,
    ],
    [
      '/..?api-version=2024-10-21',
      '/deployments/test-model/chat/completions?api-version=2024-10-21',
      'api-key',
      apiKey,
    ],
    [
      '/../openai/deployments/mine?api-version=2024-10-21',
      '/openai/deployments/mine/chat/completions?api-version=2024-10-21',
      'api-key',
      apiKey,
    ],
  ])('asks an address that ends in %s as its provider wants it', async (end, path, header, key) => {
    const url = await serve(json(200, answer));
    expect((await complete(`${url}${end}`)).content).toBe('[Thought]: done');
    expect(received()[0]).toMatchObject({ path, headers: { [header]: key } });
  });
});

describe('a streamed reply', () => {
  it.each(modelApis)('is the same as one in a piece: %s', async (api) => {
    const tools = [{ name: 'Look', description: 'Looks.', parameters: { type: 'object' } }];
    const simulated = await startSimulatedModel({
      script: {
        questions: [
          { question: 'How many?', answer: { thought: 'Quite so, žluťoučký kůň.', value: 42 } },
        ],
      },
    });
    try {
      const baseUrl =
        api === 'chat' || api === 'responses' ? simulated.url : new URL(simulated.url).origin;
      const model = createModel(keysForAll({ apiKey, keyIsFor: baseUrl }));
      const ask = (stream: boolean, withTools: boolean) =>
        model.complete(
          {
            ...request(baseUrl),
            ...{ api, stream },
            ...(withTools && { tools }),
            messages: [{ role: 'user', content: '[Question]: How many?\n[Answer Format]: x' }],
          },
          signal,
        );
      for (const withTools of [false, true]) {
        const { exchange: one, ...whole } = await ask(false, withTools);
        const { exchange: other, ...streamed } = await ask(true, withTools);
        expect(whole.tokens).not.toBeNull();
        expect(streamed).toEqual(whole);
        expect(other?.reply).not.toBe(one?.reply);
        expect([one?.id, other?.id]).toEqual([expect.any(String), expect.any(String)]);
      }
    } finally {
      await simulated.close();
    }
  });

  const events =
    (...data: readonly (object | string)[]) =>
    (response: ServerResponse): void => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const one of data)
        response.write(`data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`);
      response.end();
    };
  const piece = { choices: [{ index: 0, delta: { content: 'The four' } }] };

  it('asks for its usage', async () => {
    await complete(await serve(json(200, answer)), { stream: true });
    expect(JSON.parse(received()[0]?.body ?? '')).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('that ends too early may be paid', async () => {
    const failure = await failureOf(complete(await serve(events(piece)), { stream: true }));
    expect(failure.type).toBe('ModelUnavailable');
    expect(failure.message).toContain('in the middle of a stream');
    expect(failure.options.mayBePaid).toBe(true);
  });

  it('that ends with an error has its type and words, and is paid if a part had come', async () => {
    const late = error('rate_limit_exceeded', 'Slow down');
    const begun = await failureOf(
      complete(await serve(events(piece, late as object)), { stream: true }),
    );
    expect(begun.type).toBe('ModelRateLimited');
    expect(begun.message).toContain('Slow down');
    expect(begun.options.mayBePaid).toBe(true);
  });

  it('ends at the provider as soon as nobody waits for it', async () => {
    const cancellation = new AbortController();
    const reason = new Error('the run was cancelled');
    let closed: Promise<unknown> = Promise.resolve();
    const url = await serve((response) => {
      closed = once(response, 'close');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(piece)}\n\n`, () => cancellation.abort(reason));
    });
    const call = createModel(keysForAll({ apiKey, keyIsFor: url })).complete(
      request(url, { stream: true }),
      cancellation.signal,
    );
    await expect(call).rejects.toBe(reason);
    await closed;
  });
});
