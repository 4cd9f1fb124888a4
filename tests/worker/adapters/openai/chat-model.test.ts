import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelReply, ModelRequest } from '../../../../activities/ports/model.js';
import { PortFailure } from '../../../../activities/ports/port-failure.js';
import type { FailureType } from '../../../../domain/failure-type.js';
import { defaultRunConfig } from '../../../../domain/runs/run-config.js';
import { createOpenAiModel } from '../../../../worker/adapters/openai/chat-model.js';
import { startHttpEndpoint, type HttpEndpoint } from '../../../support/fakes/http-endpoint.js';

const apiKey = 'sk-very-secret-0123456789';
const prompt = 'Which of the four tracks did the authors of the paper enter?';

let endpoint: HttpEndpoint | undefined;
afterEach(async () => {
  await endpoint?.close();
  endpoint = undefined;
});

async function serve(reply: (response: ServerResponse) => void): Promise<string> {
  endpoint = await startHttpEndpoint(reply);
  return `${endpoint.url}/v1`;
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

const request = (baseUrl: string, changes: Partial<ModelRequest> = {}): ModelRequest => ({
  ...defaultRunConfig.model,
  baseUrl,
  model: 'test-model',
  messages: [{ role: 'user', content: prompt }],
  timeoutMs: 30_000,
  ...changes,
});

const complete = (
  baseUrl: string,
  changes: Partial<ModelRequest> = {},
  keyIsFor = baseUrl,
): Promise<ModelReply> =>
  createOpenAiModel({ apiKey, keyIsFor }).complete(
    request(baseUrl, changes),
    new AbortController().signal,
  );

async function failureOf(call: Promise<unknown>): Promise<PortFailure> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PortFailure))
    throw new Error(`expected a PortFailure, got ${String(error)}`);
  return error;
}

const completion = (message: unknown, finishReason = 'stop'): unknown => ({
  model: 'test-model-2026',
  choices: [{ index: 0, finish_reason: finishReason, message }],
  usage: {
    prompt_tokens: 120,
    completion_tokens: 7,
    prompt_tokens_details: { cached_tokens: 64 },
  },
});
const call = (name: string, args: unknown): unknown => ({
  id: 'call_1',
  type: 'function',
  function: { name, arguments: args },
});
const answer = completion({ role: 'assistant', content: '[Thought]: done' });
const error = (code: string | number | null, message: string, type?: string): unknown => ({
  error: { code, message, type: type ?? null, param: null },
});

describe('a completion', () => {
  it('brings the text, the model that answered and the tokens, cached ones included', async () => {
    expect(await complete(await serve(json(200, answer)))).toEqual({
      content: '[Thought]: done',
      finishReason: 'stop',
      model: 'test-model-2026',
      tokens: { prompt: 120, completion: 7, cached: 64, reasoning: 0 },
    });
  });

  it('may come without usage, model, or a content type', async () => {
    const url = await serve((response) =>
      response.end(JSON.stringify({ choices: [{ message: { content: 'yes' } }] })),
    );
    expect(await complete(url)).toEqual({
      content: 'yes',
      finishReason: 'other',
      model: 'test-model',
      tokens: null,
    });
  });

  it('says when it was cut at the token limit', async () => {
    const cut = completion({ content: 'The four' }, 'length');
    expect((await complete(await serve(json(200, cut)))).finishReason).toBe('length');
  });

  it.each([
    ['reports none of it', { content: '' }],
    ['has a field for it', { content: ' \n', reasoning_content: 'on and on' }],
    ['puts it in marks', { content: '<think>on and on' }],
  ])('is one that was paid for, cut off in reasoning, where the server %s', async (_, message) => {
    const reply = await complete(await serve(json(200, completion(message, 'length'))));
    expect(reply).toMatchObject({ content: '', finishReason: 'length', tokens: { completion: 7 } });
  });

  it('is asked for once, with the sampling settings of the request', async () => {
    await complete(await serve(json(200, answer)));
    expect(endpoint?.received).toHaveLength(1);
    expect(endpoint?.received[0]?.path).toBe('/v1/chat/completions');
    expect(JSON.parse(endpoint?.received[0]?.body ?? '')).toEqual({
      model: 'test-model',
      messages: [{ role: 'user', content: prompt }],
      temperature: 0.7,
      top_p: 0.95,
      max_tokens: 1500,
    });
  });
});

const completionWith = (message: unknown, usage: unknown = null): unknown => ({
  choices: [{ finish_reason: 'stop', message }],
  usage,
});

describe('reasoning', () => {
  it.each<[string, unknown]>([
    ['marks', { content: '<think>\nhm\n</think>\n\nyes' }],
    ["DeepSeek's field", { content: 'yes', reasoning_content: 'hm' }],
    ["OpenRouter's field", { content: 'yes', reasoning: 'hm' }],
    [
      "Mistral's parts",
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
          { type: 'reference', reference_ids: [1] },
          { type: 'text', text: 'yes' },
        ],
      },
    ],
  ])('in %s is kept apart from the content', async (_, message) => {
    const reply = await complete(await serve(json(200, completionWith(message))));
    expect(reply).toMatchObject({ content: 'yes', reasoning: 'hm' });
  });

  it('that is absent is not there', async () => {
    const message = { content: 'yes', reasoning_content: null, reasoning: '' };
    const reply = await complete(await serve(json(200, completionWith(message))));
    expect(reply).not.toHaveProperty('reasoning');
  });
});

describe('the tokens', () => {
  const counted = { prompt_tokens: 100, completion_tokens: 20 };
  it.each<[string, unknown, unknown]>([
    [
      'OpenAI counts reasoning within the completion',
      { ...counted, total_tokens: 120, completion_tokens_details: { reasoning_tokens: 15 } },
      { prompt: 100, completion: 20, cached: 0, reasoning: 15 },
    ],
    [
      'xAI counts reasoning beside the completion',
      { ...counted, total_tokens: 135, completion_tokens_details: { reasoning_tokens: 15 } },
      { prompt: 100, completion: 35, cached: 0, reasoning: 15 },
    ],
    [
      'Gemini counts reasoning in the total only',
      { ...counted, total_tokens: 135 },
      { prompt: 100, completion: 35, cached: 0, reasoning: 15 },
    ],
    [
      'DeepSeek has a field of its own for cached tokens',
      { ...counted, prompt_cache_hit_tokens: 64 },
      { prompt: 100, completion: 20, cached: 64, reasoning: 0 },
    ],
    [
      'details that make no sense are left out',
      { ...counted, total_tokens: 'many', prompt_tokens_details: { cached_tokens: -1 } },
      { prompt: 100, completion: 20, cached: 0, reasoning: 0 },
    ],
  ])('are those that are paid for: %s', async (_, usage, tokens) => {
    const reply = await complete(await serve(json(200, completionWith({ content: 'yes' }, usage))));
    expect(reply.tokens).toEqual(tokens);
  });
});

describe('tools', () => {
  const tools = [{ name: 'look', description: 'Look.', parameters: { type: 'object' } }];

  it('are offered, and a call of one needs no text', async () => {
    const message = { content: null, tool_calls: [call('look', '{"at": 1}')] };
    const url = await serve(json(200, completion(message, 'tool_calls')));
    expect(await complete(url, { tools })).toMatchObject({
      content: '',
      finishReason: 'stop',
      toolCalls: [{ id: 'call_1', name: 'look', argumentsText: '{"at": 1}' }],
    });
    expect(JSON.parse(endpoint?.received[0]?.body ?? '')).toMatchObject({
      tools: [{ type: 'function', function: tools[0] }],
    });
  });

  it('may be called with an object where a text belongs, and without an id', async () => {
    const loose = { type: 'function', function: { name: 'look', arguments: { at: 1 } } };
    const url = await serve(json(200, completion({ content: '', tool_calls: [loose] })));
    expect((await complete(url, { tools })).toolCalls).toEqual([
      { id: 'call', name: 'look', argumentsText: '{"at":1}' },
    ]);
  });

  it('that an endpoint does not take are named in the failure', async () => {
    const body = error(null, 'This model does not support tools.');
    const failure = await failureOf(complete(await serve(json(400, body)), { tools }));
    expect(failure.type).toBe('ModelRejectedRequest');
    expect(failure.message).toContain('takes no tools');
  });

  it('go back with their calls and results, an empty text as null', async () => {
    const url = await serve(json(200, answer));
    const toolCall = {
      id: 'c',
      type: 'function',
      function: { name: 'look', arguments: '{}' },
    } as const;
    await complete(url, {
      tools,
      messages: [
        { role: 'user', content: prompt },
        { role: 'assistant', content: '', tool_calls: [toolCall] },
        { role: 'tool', tool_call_id: 'c', content: 'seen' },
      ],
    });
    expect(JSON.parse(endpoint?.received[0]?.body ?? '')).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', content: null, tool_calls: [toolCall] },
        { role: 'tool', tool_call_id: 'c', content: 'seen' },
      ],
    });
  });
});

describe('a picture', () => {
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } } as const;
  const messages = [{ role: 'user', content: [{ type: 'text', text: prompt }, picture] }] as const;

  it('is sent as it is', async () => {
    await complete(await serve(json(200, answer)), { messages });
    expect(JSON.parse(endpoint?.received[0]?.body ?? '')).toMatchObject({ messages });
  });

  it.each([
    ['vLLM', 400, error(400, 'acme is not a multimodal model', 'BadRequestError')],
    ['OpenRouter', 404, error(404, 'No endpoints found that support image input')],
    ['DeepSeek', 422, error(null, 'unknown variant `image_url`, expected `text`')],
    ['OpenAI', 400, error('invalid_value', 'Image inputs are not supported by this model.')],
  ])('that %s refuses makes a failure that says so', async (_, status, body) => {
    const failure = await failureOf(complete(await serve(json(status, body)), { messages }));
    expect(failure.type).toBe('ModelRejectedRequest');
    expect(failure.message).toContain('takes no pictures');
  });

  it('is not blamed for other refusals', async () => {
    const body = error('unsupported_value', 'temperature must be 1');
    const failure = await failureOf(complete(await serve(json(400, body)), { messages }));
    expect(failure.message).toContain('check that the model takes these settings');
  });
});

describe('the rate limits', () => {
  it('are read from the headers of a reply', async () => {
    const headers = { 'x-ratelimit-remaining-requests': '41', 'x-ratelimit-reset-requests': '2s' };
    expect((await complete(await serve(json(200, answer, headers)))).rateLimit).toEqual({
      remainingRequests: 41,
      resetRequestsMs: 2000,
    });
  });

  it.each([
    ['a refusal', 429, error('rate_limit_exceeded', 'Slow down')],
    ['a failure', 503, ''],
    ['a late failure under status 200', 200, error(502, 'Upstream died')],
    ['nonsense', 200, 'no JSON'],
  ])('come with %s as well', async (_, status, body) => {
    const headers = {
      'retry-after': '2',
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-limit-tokens': '9000',
    };
    const { options } = await failureOf(complete(await serve(json(status, body, headers))));
    expect(options).toMatchObject({
      retryAfterMs: 2000,
      rateLimit: { limitRequests: 60, remainingRequests: 0, limitTokens: 9000 },
    });
  });

  it.each([
    ['tokens', error('rate_limit_exceeded', 'Slow down', 'tokens')],
    ['requests', error('rate_limit_exceeded', 'Slow down', 'requests')],
    ['tokens', error(null, 'You exceed 40000 tokens per minute')],
    ['requests', error(429, 'Too many: RPM 3')],
    [undefined, error(null, 'Slow down')],
  ])('that a refusal blames are %s', async (exceeded, body) => {
    const { options } = await failureOf(complete(await serve(json(429, body))));
    expect(options.rateLimit?.exceeded).toBe(exceeded);
  });
});

describe('the key', () => {
  it('goes to the base URL it was configured for, with or without a final slash', async () => {
    const url = await serve(json(200, answer));
    await complete(url, {}, `${url}/`);
    expect(endpoint?.received[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
  });

  it('stays here when another endpoint is asked', async () => {
    await complete(await serve(json(200, answer)), {}, 'https://api.openai.com/v1');
    expect(JSON.stringify(endpoint?.received)).not.toContain(apiKey);
  });
});

const overflowText =
  "This model's maximum context length is 4096 tokens. However, you asked for 9000.";

describe('a refusal', () => {
  it.each<[FailureType, string, number, unknown]>([
    ['ModelRefusedKey', 'a wrong key', 401, error('invalid_api_key', 'Incorrect key: sk-very***')],
    ['ModelRefusedKey', 'a key without rights', 403, error(null, 'no access')],
    ['ModelRejectedRequest', 'a bad parameter', 400, error('unsupported_value', 'Bad value')],
    ['ModelUnknown', 'an unknown model', 404, error('model_not_found', 'No such model')],
    ['ModelUnknown', 'an address that is no API', 404, '<html>Not Found</html>'],
    ['ModelRejectedRequest', 'a request of the wrong shape', 422, { detail: [{ msg: 'missing' }] }],
    ['ContextOverflow', "OpenAI's code", 400, error('context_length_exceeded', 'Too long')],
    ['ContextOverflow', "llama.cpp's type", 400, error(400, 'x', 'exceed_context_size_error')],
    ['ContextOverflow', "vLLM's words", 400, error(400, overflowText, 'BadRequestError')],
    [
      'ContextOverflow',
      "older vLLM's words at the top level",
      400,
      { object: 'error', message: overflowText, type: 'BadRequestError', code: 400 },
    ],
    [
      'ContextOverflow',
      "TGI's words",
      422,
      { error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096.' },
    ],
    ['ModelQuotaSpent', 'a spent quota', 429, error('insufficient_quota', 'You exceeded')],
    ['ModelQuotaSpent', 'a quota told by type', 429, error(null, 'x', 'insufficient_quota')],
    ['ModelQuotaSpent', 'an unpaid account', 402, error(402, 'Insufficient balance')],
    ['ModelRateLimited', 'a rate limit', 429, error('rate_limit_exceeded', 'Slow down')],
    ['ModelRateLimited', 'a rate limit without a body', 429, ''],
    ['ModelUnavailable', 'a request time-out', 408, ''],
    ['ModelUnavailable', 'a conflict', 409, ''],
    ['ModelUnavailable', 'an internal error', 500, error('server_error', 'Oops')],
    ['ModelUnavailable', 'a gateway page', 502, '<html>Bad Gateway</html>'],
    ['ModelUnavailable', 'an overloaded server', 529, error(null, 'Overloaded')],
    ['ModelUnavailable', 'a late error under status 200', 200, error(502, 'Upstream died')],
    ['ModelRateLimited', 'a late rate limit under status 200', 200, error(429, 'Upstream busy')],
  ])('is %s for %s', async (type, _, status, body) => {
    const failure = await failureOf(complete(await serve(json(status, body))));
    expect(failure.type).toBe(type);
    expect(failure.message).toContain(`${endpoint?.url ?? ''}/v1 (model test-model)`);
    expect(endpoint?.received).toHaveLength(1);
  });

  it.each<[string, Record<string, string>, number | undefined]>([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['milliseconds', { 'retry-after-ms': '350' }, 350],
    ['rubbish', { 'retry-after': 'later' }, undefined],
  ])('passes on a Retry-After in %s', async (_, headers, expected) => {
    const limited = await failureOf(complete(await serve(json(429, error(null, 'x'), headers))));
    expect(limited.options.retryAfterMs).toBe(expected);
  });

  it('passes on a Retry-After of an overloaded server', async () => {
    const busy = await failureOf(complete(await serve(json(503, '', { 'retry-after': '3' }))));
    expect(busy.options.retryAfterMs).toBe(3000);
  });

  it('quotes the provider where that tells the remedy', async () => {
    const body = error('unsupported_parameter', "'top_p' is not supported with this model.");
    const { message } = await failureOf(complete(await serve(json(400, body))));
    expect(message).toContain(
      `(400 unsupported_parameter "'top_p' is not supported with this model.")`,
    );
  });

  it.each([
    ['the prompt', 400, error(null, `Invalid input: {'content': '${prompt}'}`)],
    ['the key', 400, error(null, `Key ${apiKey} may not do this`)],
    ['a piece of the key', 401, error(null, `Incorrect API key provided: ${apiKey.slice(0, 9)}`)],
  ])('repeats nothing when the provider echoes %s', async (_, status, body) => {
    const failure = await failureOf(complete(await serve(json(status, body))));
    expect(failure.message).not.toMatch(/four tracks|sk-very/);
    expect(failure.cause).toBeUndefined();
  });

  it('names a redirect as what it is', async () => {
    const url = await serve(json(307, '', { location: 'http://127.0.0.1:1/v1/' }));
    expect((await failureOf(complete(url))).message).toContain(
      'redirects to another address (307)',
    );
  });

  it('tells a key that was refused from one that was never sent', async () => {
    const url = await serve(json(401, error(null, 'who are you')));
    expect((await failureOf(complete(url))).message).toContain('refused the API key');
    expect((await failureOf(complete(url, {}, 'http://127.0.0.1:1/v1'))).message).toContain(
      'none is configured for this address',
    );
  });
});

describe('nonsense', () => {
  it.each<[string, string | undefined, unknown]>([
    ['an HTML page', 'text/html', '<!DOCTYPE html><html><body>Sign in</body></html>'],
    ['broken JSON', 'application/json', '{"choices": [{"mess'],
    ['an empty body', 'application/json', ''],
    ['not a chat completion', 'application/json', { choices: [] }],
    ['not a chat completion', 'application/json', { object: 'list', data: [] }],
    ['not a chat completion', 'application/json', 'null'],
    ['the content is empty', 'application/json', completion({ content: '' })],
    ['the content is empty', 'application/json', completion({ content: ' \n' })],
    ['the content is empty', 'application/json', completion({ content: null })],
    ['content filter', 'application/json', completion({ content: null }, 'content_filter')],
    ['declined', 'application/json', completion({ content: null, refusal: 'I cannot' })],
    [
      'only tool calls',
      'application/json',
      completion({ content: null, tool_calls: [call('look', '{}')] }, 'tool_calls'),
    ],
    ['nothing after it', 'application/json', completion({ content: '<think>hm</think>' })],
  ])('is recognised and described: %s', async (seen, type, body) => {
    const url = await serve(json(200, body, type === undefined ? {} : { 'content-type': type }));
    const failure = await failureOf(complete(url));
    expect(failure.type).toBe('ModelRepliedNonsense');
    expect(failure.message).toContain(seen);
    // What a model said, or thought, is charged, whatever is left of it.
    expect(failure.options.mayBePaid === true).toBe(failure.message.includes('sent no text'));
  });
});

describe('a connection', () => {
  it('that is refused makes the model unavailable', async () => {
    const url = await serve(json(200, answer));
    await endpoint?.close();
    const failure = await failureOf(complete(url));
    expect(failure.type).toBe('ModelUnavailable');
    expect(failure.message).toContain('ECONNREFUSED');
    expect(failure.cause).toBeInstanceOf(Error);
  });

  it('that is reset makes the model unavailable', async () => {
    const failure = await failureOf(
      complete(await serve((response) => response.socket?.resetAndDestroy())),
    );
    expect(failure.type).toBe('ModelUnavailable');
    expect(failure.message).toContain('broke the connection');
  });

  it('that brings more than any model sends is broken off, and the failure says so', async () => {
    const part = Buffer.alloc(2 ** 20, ' ');
    let isOpen = true;
    const url = await serve((response) => {
      response.on('close', () => (isOpen = false));
      response.writeHead(200, { 'content-type': 'application/json' });
      const send = (): void => {
        while (isOpen && response.write(part));
        if (isOpen) response.once('drain', send);
      };
      send();
    });
    const failure = await failureOf(complete(url));
    expect(failure.type).toBe('ModelRepliedNonsense');
    expect(failure.message).toContain('sent a reply of more than 128 MiB');
    expect(failure.options.mayBePaid).toBe(true);
  });

  it('that breaks in the middle of the body makes the model unavailable', async () => {
    const url = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
      response.write('{"choices":', () => response.socket?.destroy());
    });
    expect((await failureOf(complete(url))).type).toBe('ModelUnavailable');
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['before the headers', () => undefined],
    [
      'in the middle of the body',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"choices":');
      },
    ],
  ])('that hangs %s is given up at the time-out', async (_, hang) => {
    const failure = await failureOf(complete(await serve(hang), { timeoutMs: 50 }));
    expect(failure.type).toBe('ModelUnavailable');
    expect(failure.message).toContain('did not answer within 50 ms');
  });
});

describe('cancellation', () => {
  it('surfaces as what the signal was aborted with', async () => {
    const cancellation = new AbortController();
    const reason = new Error('the run was cancelled');
    const url = await serve(() => cancellation.abort(reason));
    const call = createOpenAiModel({ apiKey, keyIsFor: url }).complete(
      request(url),
      cancellation.signal,
    );
    await expect(call).rejects.toBe(reason);
  });

  it.each([
    ['is answered', json(200, answer)],
    ['fails', json(400, {})],
  ])('is no longer waited for by a call that %s', async (_, respond) => {
    const { signal } = new AbortController();
    const url = await serve(respond);
    await createOpenAiModel({ apiKey, keyIsFor: url })
      .complete(request(url), signal)
      .catch(() => undefined);
    expect(endpoint?.received).toHaveLength(1);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('before the call sends nothing', async () => {
    const url = await serve(json(200, answer));
    const reason = new Error('cancelled early');
    const call = createOpenAiModel({ apiKey, keyIsFor: url }).complete(
      request(url),
      AbortSignal.abort(reason),
    );
    await expect(call).rejects.toBe(reason);
    expect(endpoint?.received).toHaveLength(0);
  });
});
