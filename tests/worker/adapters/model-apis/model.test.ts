import { describe, expect, it } from 'vitest';
import {
  answer,
  apiKey,
  call,
  chatEndpoint,
  complete,
  completion,
  error,
  failureOf,
  json,
  prompt,
} from '../../../support/model-calls/chat-endpoint.js';

const { serve, received } = chatEndpoint();

const completionWith = (message: unknown, usage: unknown = null): unknown => ({
  choices: [{ finish_reason: 'stop', message }],
  usage,
});

describe('a completion', () => {
  it('brings the text, the model that answered and the tokens, cached ones included', async () => {
    expect(await complete(await serve(json(200, answer)))).toEqual({
      exchange: expect.anything() as unknown,
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
      exchange: expect.anything() as unknown,
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
    expect(received()).toHaveLength(1);
    expect(received()[0]?.path).toBe('/v1/chat/completions');
    expect(JSON.parse(received()[0]?.body ?? '')).toEqual({
      model: 'test-model',
      messages: [{ role: 'user', content: prompt }],
      temperature: 0.7,
      top_p: 0.95,
      max_tokens: 1500,
    });
  });
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
    expect(JSON.parse(received()[0]?.body ?? '')).toMatchObject({
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
    expect(JSON.parse(received()[0]?.body ?? '')).toMatchObject({
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
    expect(JSON.parse(received()[0]?.body ?? '')).toMatchObject({ messages });
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

  const stated = error(
    'rate_limit_exceeded',
    'Rate limit reached for m on requests per min (RPM): Limit 200, Used 200, Requested 1. Please try again in 300ms.',
    'requests',
  );
  it.each([
    ['only in the body of a refusal', {}, 300],
    ['in both, of which a header is more exact', { 'retry-after-ms': '212' }, 212],
  ])('and the waiting time are read %s', async (_, headers, retryAfterMs) => {
    const { options } = await failureOf(complete(await serve(json(429, stated, headers))));
    expect(options).toMatchObject({
      retryAfterMs,
      rateLimit: { exceeded: 'requests', exceededLimit: 200 },
    });
  });
});

describe('the key', () => {
  it('goes to the base URL it was configured for, with or without a final slash', async () => {
    const url = await serve(json(200, answer));
    await complete(url, {}, `${url}/`);
    expect(received()[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
  });

  it('stays here when another endpoint is asked', async () => {
    await complete(await serve(json(200, answer)), {}, 'https://api.openai.com/v1');
    expect(JSON.stringify(received())).not.toContain(apiKey);
  });
});
